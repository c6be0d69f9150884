/** Leaving an organisation: what changes then, before a person says so. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { CommandForAdministrator, useAdministering } from './as-administrator.tsx';
import { nameOfSetting, sayInLine } from './declared.ts';
import styles from './profiles.module.css';
import type { KnownProfile } from './use-profile.ts';

interface LeaveDialogProps {
  known: KnownProfile;
  /** harmless to show */
  issuer: string;
  onClose(): void;
}

export function LeaveDialog({ known, issuer, onClose }: LeaveDialogProps) {
  const spoken = useWords();
  const { session } = useService();
  const live = useLive();
  const administering = useAdministering();
  const { text } = spoken;
  const words = text.profiles.leave;

  async function leave(): Promise<void> {
    const call = session.call('profile.leave', {});
    const done = await administering.attempt(call, 'sudo sotto profile leave');
    if (done === null) return;
    toast('done', words.done(issuer));
    onClose();
    known.again();
  }

  if (administering.command !== null) return <CommandForAdministrator of={administering} />;
  return (
    <Dialog
      title={words.title(issuer)}
      onClose={onClose}
      actions={
        <Button
          variant="danger"
          disabled={!live || administering.busy}
          onClick={() => void leave()}
        >
          {words.yes}
        </Button>
      }
    >
      <p>{words.means}</p>
      <Changes known={known} />
    </Dialog>
  );
}

function Changes({ known: { stated, declared } }: { known: KnownProfile }) {
  const spoken = useWords();
  const { text } = spoken;
  const words = text.profiles.leave;
  const changes = stated.flatMap(({ key, layers, without }) => {
    const now = layers.find(({ inForce }) => inForce);
    if (now?.layer !== 'profile' || JSON.stringify(now.value) === JSON.stringify(without))
      return [];
    const setting = declared.get(key);
    const [before, after] = [now.value, without].map((one) => sayInLine(setting, one, spoken));
    return [{ key, before, after }];
  });
  if (changes.length === 0) return <p>{words.nothing}</p>;
  return (
    <div>
      <h3>{words.changes}</h3>
      <ul className={styles.itemList}>
        {changes.map(({ key, before, after }) => (
          <li key={key}>
            <Rich
              of={words.change}
              setting={safe(nameOfSetting(key, declared, spoken))}
              after={<strong>{after}</strong>}
              before={before}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
