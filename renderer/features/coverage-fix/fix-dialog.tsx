/** Shows what a fix of another program's settings changes, changes it when a person says so, and undoes it. */
import { useEffect, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { Said } from '../../../app/contract/sentences/sentence.ts';
import type { FixResult } from '../../../app/contract/system/coverage-fix.ts';
import type { CoverageFix } from '../../../app/contract/system/coverage-fixes.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Told } from '../../components/told.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './fix-dialog.module.css';
import { commandOf, fixInEnglish, programOf } from './fix-words.ts';

interface FixDialogProps {
  fix: CoverageFix;
  onClose(): void;
  /** something was written */
  onChanged(): void;
}

export function FixDialog({ fix, onClose, onChanged }: FixDialogProps) {
  const { text } = useWords();
  const { shown, busy, change } = useFix(fix, onChanged);
  const disabled = !useLive() || busy;
  const words = text.coverageFix;
  const next = shown === null ? null : nextOf(shown);
  return (
    <Dialog
      title={words.title(programOf(fix))}
      onClose={onClose}
      actions={
        next === null ? null : (
          <Button
            variant={next === 'fix' ? 'main' : 'plain'}
            disabled={disabled}
            onClick={() => change(next)}
          >
            {next === 'fix' ? words.change : words.undo}
          </Button>
        )
      }
    >
      <div className={styles.content} role="status">
        {shown === null ? <p>{text.frame.loading}</p> : <Content of={shown} fix={fix} />}
      </div>
    </Dialog>
  );
}

function nextOf(shown: Shown): 'fix' | 'undo' | null {
  if (shown.is === 'preview') return shown.files.length === 0 ? null : 'fix';
  return shown.is === 'changed' ? 'undo' : null;
}

function Content({ of: shown, fix }: { of: Shown; fix: CoverageFix }) {
  switch (shown.is) {
    case 'preview':
      return <Preview of={shown.files} fix={fix} />;
    case 'failed':
      return <Failed failure={shown.failure} fix={fix} />;
    default:
      return <Result of={shown} />;
  }
}

/** An administrator can do the same in a terminal. */
function Failed({ failure, fix }: { failure: Failure; fix: CoverageFix }) {
  return (
    <>
      <p>
        <FailureWords failure={failure} />
      </p>
      {failure.code === 'forbidden' ? <CopyLine line={commandOf(fix)} /> : null}
    </>
  );
}

type Shown =
  | { is: 'preview'; files: FixResult['files'] }
  | { is: 'changed' | 'undone'; says: Said; works: boolean }
  | { is: 'failed'; failure: Failure };

interface Fixing {
  shown: Shown | null;
  busy: boolean;
  change(what: 'fix' | 'undo'): void;
}

/** Opening it asks what would change. */
function useFix(fix: CoverageFix, onChanged: () => void): Fixing {
  const { session } = useService();
  const [shown, show] = useState<Shown | null>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    let current = true;
    void session.call('coverage.fix', { fix, dryRun: true }).then((tried) => {
      if (!current) return;
      if (tried.ok) show({ is: 'preview', files: tried.value.files });
      else show({ is: 'failed', failure: tried.failure });
    });
    return () => {
      current = false;
    };
  }, [session, fix]);

  async function change(what: 'fix' | 'undo'): Promise<void> {
    setBusy(true);
    show(what === 'fix' ? await write() : await undo());
    setBusy(false);
    onChanged();
  }

  async function write(): Promise<Shown> {
    const fixed = await session.call('coverage.fix', { fix });
    if (!fixed.ok) return { is: 'failed', failure: fixed.failure };
    const { says, proved } = fixed.value;
    return { is: 'changed', says, works: proved === true };
  }

  async function undo(): Promise<Shown> {
    const undone = await session.call('coverage.undo', { fix });
    if (!undone.ok) return { is: 'failed', failure: undone.failure };
    return { is: 'undone', says: undone.value.says, works: true };
  }

  return { shown, busy, change: (what) => void change(what) };
}

function Preview({ of: files, fix }: { of: FixResult['files']; fix: CoverageFix }) {
  const { text } = useWords();
  const words = text.coverageFix;
  if (files.length === 0) return <p>{words.nothing}</p>;
  return (
    <>
      <p>{words.means(programOf(fix))}</p>
      {files.map((change) => (
        <figure key={change.file} className={styles.file}>
          <figcaption>
            {words[kindOf(change)]} <code>{safe(change.file)}</code>
          </figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard */}
          <pre tabIndex={0} lang="en">
            {change.after.split('\n').map(safe).join('\n')}
          </pre>
        </figure>
      ))}
    </>
  );
}

function kindOf({ before, hidden }: FixResult['files'][number]) {
  if (hidden) return 'hiddenFile';
  return before === null ? 'newFile' : 'changedFile';
}

function Result({ of: { says, works } }: { of: { says: Said; works: boolean } }) {
  return (
    <p className={styles.result} data-works={works}>
      {works ? <span aria-hidden="true">✓ </span> : null}
      <Told english={fixInEnglish(says)} says={[says]} />
    </p>
  );
}
