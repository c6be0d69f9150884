/** What a version wants beyond what its issuer may, beside what holds; one approval is for all of it. */
import { useState } from 'react';
import type {
  EnrolledProfile,
  WaitingSetting,
} from '../../../app/contract/settings/profile-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Section } from '../../components/page-body.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { CommandForAdministrator, useAdministering } from './as-administrator.tsx';
import { nameOfSetting } from './declared.ts';
import styles from './profiles.module.css';
import { SaidValue } from './said-value.tsx';
import { Simulated } from './simulated.tsx';
import type { KnownProfile } from './use-profile.ts';

interface WaitingProps {
  known: KnownProfile;
  profile: EnrolledProfile;
  /** errors of the version */
  onProblems(problems: readonly string[]): void;
}

export function Waiting({ known, profile, onProblems }: WaitingProps) {
  const spoken = useWords();
  const { session } = useService();
  const live = useLive();
  const [asking, setAsking] = useState(false);
  const administering = useAdministering();
  const { text, formats } = spoken;
  const words = text.profiles.waiting;
  const { serial, waiting } = profile;
  const approvable = waiting.filter(({ grant, behind }) => grant !== null || behind !== undefined);
  if (waiting.length === 0) return null;

  async function approve(): Promise<void> {
    setAsking(false);
    const call = session.call('profile.approve', { serial });
    const done = await administering.attempt(call, `sudo sotto profile approve ${serial}`);
    known.again();
    if (done === null) return;
    onProblems(done.problems);
    toast('done', words.done);
  }

  return (
    <Section title={words.title(safe(profile.issuer))}>
      <p className={styles.prose}>{words.about}</p>
      <Rows label={words.list}>
        {waiting.map((one) => (
          <Entry key={`${one.key} ${one.network ?? ''}`} of={one} known={known} />
        ))}
      </Rows>
      {approvable.length === 0 ? null : <Simulated of={JSON.stringify([serial, waiting])} />}
      {approvable.length === 0 ? null : (
        <div className={styles.actions}>
          <Button
            variant="main"
            disabled={!live || administering.busy}
            onClick={() => setAsking(true)}
          >
            {words.approve(formats.count(serial))}
          </Button>
        </div>
      )}
      {asking ? (
        <Dialog
          title={words.confirm(formats.count(serial))}
          onClose={() => setAsking(false)}
          actions={
            <Button variant="main" disabled={!live} onClick={() => void approve()}>
              {words.yes}
            </Button>
          }
        >
          <ul className={styles.itemList}>
            {approvable.map(({ key, network = '' }) => (
              <li key={`${key} ${network}`}>{nameOfSetting(key, known.declared, spoken)}</li>
            ))}
          </ul>
          <p>{words.means}</p>
        </Dialog>
      ) : null}
      <CommandForAdministrator of={administering} />
    </Section>
  );
}

function Entry({ of, known: { declared } }: { of: WaitingSetting; known: KnownProfile }) {
  const spoken = useWords();
  const { text, formats } = spoken;
  const words = text.profiles.waiting;
  const { key, grant, wanted, holds, behind } = of;
  const setting = declared.get(key);
  return (
    <Row>
      <div className={styles.entry}>
        <div>
          <h3>{nameOfSetting(key, declared, spoken)}</h3>
          <p className={styles.quiet}>
            {behind === undefined
              ? ((grant && text.profiles.grants[grant]) ?? words.never)
              : words.behind(nameOfSetting(behind, declared, spoken))}
          </p>
        </div>
        <dl className={styles.compared}>
          <dt>{words.wants}</dt>
          <dd>
            {wanted === null ? (
              words.saysNothing
            ) : (
              <>
                <SaidValue setting={setting} value={wanted.value} whole />
                {wanted.lock === 'default' && isSameValue(wanted.value, holds) ? (
                  <p>{words.unlocked}</p>
                ) : null}
              </>
            )}
          </dd>
          <dt>{words.holds}</dt>
          <dd>
            <SaidValue setting={setting} value={holds} />
          </dd>
          {wanted?.reason == null ? null : (
            <>
              <dt>{words.why}</dt>
              <dd>{safe(wanted.reason)}</dd>
            </>
          )}
          {wanted?.until == null ? null : (
            <>
              <dt>{words.ends}</dt>
              <dd>{formats.dateAndMinute(wanted.until)}</dd>
            </>
          )}
        </dl>
      </div>
    </Row>
  );
}

/** Then the lock is all that is otherwise. */
function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
