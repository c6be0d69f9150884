/** What only an administrator may do: it is tried, and where this account may not, the page has the command that does it. */
import { useState } from 'react';
import type { Failure, Result } from '../../../app/contract/errors.ts';
import { CopyLine } from '../../components/copy-line.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useWords } from '../../text/use-text.ts';

export interface Administering {
  busy: boolean;
  /** the command of the one that was refused for the role */
  command: string | null;
  close(): void;
  /** null: it was not done; another failure goes to `onFailure`, or is told at the edge of the page. */
  attempt<Value>(
    call: Promise<Result<Value>>,
    command: string,
    onFailure?: (failure: Failure) => void,
  ): Promise<Value | null>;
}

export function useAdministering(): Administering {
  const [busy, setBusy] = useState(false);
  const [command, setCommand] = useState<string | null>(null);
  return {
    busy,
    command,
    close: () => setCommand(null),
    async attempt(call, own, onFailure = tellFailure) {
      setBusy(true);
      const done = await call;
      setBusy(false);
      if (done.ok) return done.value;
      if (done.failure.code === 'forbidden') setCommand(own);
      else onFailure(done.failure);
      return null;
    },
  };
}

export function CommandForAdministrator({ of: { command, close } }: { of: Administering }) {
  const { text } = useWords();
  const words = text.profiles.administrator;
  if (command === null) return null;
  return (
    <Dialog title={words.title} onClose={close}>
      <p>{words.means}</p>
      <CopyLine line={command} />
    </Dialog>
  );
}

/** For a shell: a path or a link may have anything in it. */
export function quoted(word: string): string {
  return /^[\w.,:/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
