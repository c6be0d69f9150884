/** Rules from a file: first what would change, then the change. */
import { type ReactNode, useEffect, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { Params, ResultOf } from '../../../app/contract/service-api.ts';
import { type BypassRule, ruleText } from '../../../app/contract/settings/bypass-rule.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input, Select } from '../../components/field.tsx';
import { useLive, useService } from '../../state/service.ts';
import { germanFor } from '../../text/loaded.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './exceptions.module.css';

type Changes = ResultOf<'rule.import'>;
type Mode = Params<'rule.import'>['mode'];
const modes: readonly Mode[] = ['merge', 'replace'];
/** of files that hold rules */
const kinds = '.json,.txt,.conf,application/json,text/plain';

/** The most that the service reads. */
const mostOctets = 512 * 1024;

interface ImportDialogProps {
  onClose(): void;
  onDone(revision: string): void;
}

export function ImportDialog({ onClose, onDone }: ImportDialogProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [content, setContent] = useState<string | null>(null);
  const [mode, setMode] = useState<Mode>('merge');
  const [tooLarge, setTooLarge] = useState(false);
  const [changes, setChanges] = useState<Changes | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.exceptions.import;

  useEffect(() => {
    if (content === null) return;
    let current = true;
    void session.call('rule.import', { text: content, mode, dryRun: true }).then((would) => {
      if (!current) return;
      setChanges(would.ok ? would.value : null);
      setFailure(would.ok ? null : would.failure);
    });
    return () => {
      current = false;
    };
  }, [session, content, mode]);

  async function read(file: File | undefined): Promise<void> {
    setChanges(null);
    setFailure(null);
    setTooLarge(file !== undefined && file.size > mostOctets);
    setContent(file === undefined || file.size > mostOctets ? null : await file.text());
  }

  async function apply(): Promise<void> {
    if (content === null) return;
    const done = await session.call('rule.import', { text: content, mode, dryRun: false });
    if (!done.ok) setFailure(done.failure);
    else if (done.value.change === null) setChanges(done.value);
    else onDone(done.value.change.revision);
  }

  return (
    <Dialog
      title={words.title}
      onClose={onClose}
      actions={
        <Button
          variant="main"
          disabled={!live || changes === null || !changesSomething(changes)}
          onClick={() => void apply()}
        >
          {words.apply}
        </Button>
      }
    >
      <Field label={words.file} hint={words.fileHint} problem={tooLarge ? words.tooLarge : null}>
        {(attributes) => (
          <Input
            {...attributes}
            type="file"
            accept={kinds}
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        )}
      </Field>
      <Field label={words.mode}>
        {(attributes) => (
          <Select<Mode>
            {...attributes}
            value={mode}
            options={modes.map((one) => [one, words.modes[one]] as const)}
            onChoose={setMode}
          />
        )}
      </Field>
      <div role="status" className={styles.changes}>
        {failure === null ? null : <Refused failure={failure} />}
        {changes === null ? null : <Changed changes={changes} />}
      </div>
    </Dialog>
  );
}

/** Each wrong line of the file has a line of its own. */
function Refused({ failure }: { failure: Failure }) {
  const { text } = useWords();
  if (failure.code !== 'bad-rules') return <FailureWords failure={failure} />;
  return (
    <div className={styles.failure}>
      <strong>{text.exceptions.import.refused}</strong>
      <ul>
        {failure.message.split('\n').map((line) => (
          <WrongLine key={line} line={line} />
        ))}
      </ul>
    </div>
  );
}

function WrongLine({ line }: { line: string }) {
  const { language } = useWords();
  const german = germanFor(language)?.importLine(line) ?? null;
  return german === null ? <li lang="en">{safe(line)}</li> : <li>{safe(german)}</li>;
}

function Changed({ changes }: { changes: Changes }) {
  const { text, formats } = useWords();
  const words = text.exceptions.import;
  const { added, changed, removed, unchanged } = changes;
  return (
    <>
      {changesSomething(changes) ? null : <p>{words.nothing}</p>}
      <Listed title={words.added(added.length)} rules={added} />
      <Listed
        title={words.changed(changed.length)}
        rules={changed.map(({ after }) => after)}
        note={(index) => words.before(formats.list((changed[index]?.before.to ?? []).map(safe)))}
      />
      <Listed title={words.removed(removed.length)} rules={removed} />
      {unchanged === 0 ? null : <p>{words.unchanged(unchanged)}</p>}
    </>
  );
}

interface ListedProps {
  title: string;
  rules: readonly BypassRule[];
  note?(index: number): ReactNode;
}

function Listed({ title, rules, note }: ListedProps) {
  if (rules.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {rules.map((rule, index) => (
          <li key={ruleText(rule)}>
            <code>{safe(ruleText(rule))}</code> → {rule.to.map(safe).join(', ')}
            {note === undefined ? null : <span className={styles.note}> ({note(index)})</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function changesSomething({ added, changed, removed }: Changes): boolean {
  return added.length + changed.length + removed.length > 0;
}
