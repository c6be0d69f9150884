/** A pause that needs a code: the challenge to read to the help desk, and the field for its code. */
import { type FormEvent, useId, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { PauseChallenge } from '../../../app/contract/protection/pause-code.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input } from '../../components/field.tsx';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';

interface PauseCodeProps {
  asked: PauseChallenge;
  onClose(): void;
}

export function PauseCode({ asked, onClose }: PauseCodeProps) {
  const { text, formats } = useWords();
  const { session } = useService();
  const live = useLive();
  const now = useNow();
  const form = useId();
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.home.pauseCode;
  const { challenge, minutes, expiresAt } = asked;
  const isOver = now >= expiresAt;

  async function redeem(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const redeemed = await session.call('pause.redeem', { code });
    setBusy(false);
    if (redeemed.ok) onClose();
    else setFailure(redeemed.failure);
  }

  return (
    <Dialog
      title={words.title(formats.duration(minutes * 60_000))}
      onClose={onClose}
      actions={
        <Button
          variant="main"
          type="submit"
          form={form}
          disabled={!live || busy || isOver || code.trim() === ''}
        >
          {text.home.switch.pause}
        </Button>
      }
    >
      <p>{words.readOut}</p>
      <CopyLine line={challenge} />
      <p>{isOver ? words.over : words.validFor(formats.countdown(expiresAt - now))}</p>
      <form id={form} onSubmit={redeem}>
        <Field
          label={words.code}
          problem={failure === null ? null : <FailureWords failure={failure} />}
        >
          {(attributes) => (
            <Input
              {...attributes}
              value={code}
              maxLength={64}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
