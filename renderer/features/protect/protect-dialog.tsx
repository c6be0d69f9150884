/** An attempt to protect this computer, or to stop, on whichever page it was begun. */
import { useEffect, useMemo } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { type Attempt, attempt, begin, dismiss } from './attempt.ts';
import { AttemptOutcome, Further } from './attempt-outcome.tsx';
import { outcomeOf } from './outcome.ts';
import styles from './protect.module.css';

interface ProtectDialogProps {
  /** the page itself shows how it goes */
  onPage: boolean;
}

export function ProtectDialog({ onPage }: ProtectDialogProps) {
  const made = useStore(attempt);
  useActions(useProtectActions());
  // A page that goes away leaves no prompt behind.
  useEffect(() => dismiss, []);
  return made === null || onPage ? null : <Shown made={made} />;
}

function Shown({ made }: { made: Attempt }) {
  const { text } = useWords();
  const status = useStore(useService().status)?.value ?? null;
  const outcome = outcomeOf(made, status);
  const words = text.protect;
  return (
    <Dialog
      title={made.change === 'take' ? words.protect : words['protect-stop']}
      onClose={dismiss}
      actions={<Further outcome={outcome} change={made.change} />}
    >
      <p className={styles.means}>
        {made.change === 'take' ? words['protect-means'] : words['protect-stop-means']}
      </p>
      <AttemptOutcome of={outcome} />
    </Dialog>
  );
}

function useProtectActions(): readonly Action[] {
  const { text } = useWords();
  const { session, status } = useService();
  const dns = useStore(status)?.value.systemDns;
  const change = dns?.wanted === true ? 'give-back' : 'take';
  const isOffered = dns != null && dns.mechanism !== null;
  return useMemo(
    () =>
      isOffered
        ? [
            {
              id: 'protect',
              label: change === 'take' ? text.protect.protect : text.protect['protect-stop'],
              run: () => void begin(session, change),
            },
          ]
        : [],
    [text, session, change, isOffered],
  );
}
