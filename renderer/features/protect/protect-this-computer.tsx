/** The button that leads this computer here, or back; how it went stands in a dialog, whichever page is shown. */
import type { TakingChange } from '../../../app/contract/protection/taking-words.ts';
import { Button } from '../../components/button.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { begin } from './attempt.ts';

interface ProtectThisComputerProps {
  /** absent: it leads here */
  change?: TakingChange;
  variant?: 'plain' | 'main';
}

export function ProtectThisComputer({
  change = 'take',
  variant = 'plain',
}: ProtectThisComputerProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  return (
    <Button variant={variant} disabled={!live} onClick={() => void begin(session, change)}>
      {change === 'take' ? text.protect.protect : text.protect['protect-stop']}
    </Button>
  );
}
