/** The organisation, its key and its version, and what a person can do about them. */
import { useState } from 'react';
import type {
  DeliveryStatus,
  EnrolledProfile,
} from '../../../app/contract/settings/profile-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { CommandForAdministrator, useAdministering } from './as-administrator.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { OrganisationFacts } from './organisation-facts.tsx';
import styles from './profiles.module.css';
import type { KnownProfile } from './use-profile.ts';
import { Waiting } from './waiting.tsx';

interface EnrolledProps {
  known: KnownProfile;
  profile: EnrolledProfile;
  delivery: DeliveryStatus | null;
  /** where a link wants to enrol this computer; null: none led here */
  linked: string | null;
}

export function Enrolled({ known, profile, delivery, linked }: EnrolledProps) {
  const spoken = useWords();
  const { session } = useService();
  const live = useLive();
  const [leaving, setLeaving] = useState(false);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const administering = useAdministering();
  const { text, formats } = spoken;
  const words = text.profiles;
  const issuer = safe(profile.issuer);

  async function look(): Promise<void> {
    const call = session.call('profile.update', {});
    const done = await administering.attempt(call, 'sudo sotto profile update');
    known.again();
    if (done === null) return;
    const { serial } = done.profile;
    setProblems(done.problems);
    toast('done', serial === profile.serial ? words.nothingNew : words.took(formats.count(serial)));
  }

  return (
    <>
      {linked === null ? null : (
        <Notice severity="warning" title={words.enrol.byLink}>
          <p>{words.enrol.linkWhileEnrolled(issuer)}</p>
          <code>{safe(linked)}</code>
        </Notice>
      )}
      <Waiting known={known} profile={profile} onProblems={setProblems} />
      <section className={styles.organisation} aria-labelledby="organisation">
        <div className={styles.head}>
          <div>
            <h2 id="organisation">{issuer}</h2>
            <p className={styles.quiet}>{safe(profile.name)}</p>
          </div>
          <div className={styles.actions}>
            {profile.source === null ? null : (
              <Button disabled={!live || administering.busy} onClick={() => void look()}>
                {administering.busy ? words.looking : words.look}
              </Button>
            )}
            <Button variant="quiet" disabled={!live} onClick={() => setLeaving(true)}>
              {words.leave.action}
            </Button>
          </div>
        </div>
        <Problems of={problems} />
        <OrganisationFacts profile={profile} delivery={delivery} known={known} />
      </section>
      {leaving ? (
        <LeaveDialog known={known} issuer={issuer} onClose={() => setLeaving(false)} />
      ) : null}
      <CommandForAdministrator of={administering} />
    </>
  );
}

/** Each names the line of the version; they are for whoever wrote it. */
function Problems({ of: problems }: { of: readonly string[] }) {
  const { text } = useWords();
  if (problems.length === 0) return null;
  return (
    <Notice severity="warning" title={text.profiles.problems}>
      {problems.map((problem) => (
        <p key={problem} lang="en">
          {safe(problem)}
        </p>
      ))}
    </Notice>
  );
}
