/** The buttons that lead this computer here, and back; how it went stands in a dialog, whichever page is shown. */
import { Button } from '../../components/button.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { begin } from './attempt.ts';

export function ProtectThisComputer({ variant = 'plain' }: { variant?: 'plain' | 'main' }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  return (
    <Button variant={variant} disabled={!live} onClick={() => void begin(session, 'take')}>
      {text.protect.protect}
    </Button>
  );
}

export function StopProtecting() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  return (
    <Button disabled={!live} onClick={() => void begin(session, 'give-back')}>
      {text.protect['protect-stop']}
    </Button>
  );
}
