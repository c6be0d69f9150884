/** Says what forgetting does, before it happens. */
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';

interface ForgetDialogProps {
  /** null makes all of them forget us */
  id: string | null;
  name?: string;
  onClose(): void;
}

export function ForgetDialog({ id, name = '', onClose }: ForgetDialogProps) {
  const { text, formats } = useWords();
  const { session } = useService();
  const live = useLive();
  const [busy, setBusy] = useState(false);
  const words = text.upstreams.forget;

  async function forget(): Promise<void> {
    setBusy(true);
    const forgotten = await session.call('upstream.forget', id === null ? {} : { id });
    onClose();
    if (!forgotten.ok) return tellFailure(forgotten.failure);
    const { tickets, evidence } = forgotten.value;
    const done = words.done(formats.count(tickets), tickets === 1);
    toast('done', evidence ? done : `${done} ${words.kept}`);
  }

  return (
    <Dialog
      title={id === null ? words.titleAll : words.title(name)}
      onClose={onClose}
      actions={
        <Button variant="main" disabled={!live || busy} onClick={forget}>
          {words.confirm}
        </Button>
      }
    >
      <p>{words.means}</p>
      <p>{words.costs}</p>
    </Dialog>
  );
}
