/** Joining an organisation: from where its profile comes, whose key it is, and what it may loosen. */
import { type FormEvent, useId, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import { grants } from '../../../app/contract/settings/profile-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input, TextArea } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Segments } from '../../components/segments.tsx';
import { goTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { CommandForAdministrator, useAdministering } from './as-administrator.tsx';
import {
  commandOf,
  type DraftProblem,
  digitsIn,
  draftFrom,
  type EnrolDraft,
  isTooLarge,
  missingParts,
  paramsOf,
  problemsOf,
  sortFiles,
} from './enrol-draft.ts';
import styles from './profiles.module.css';

interface EnrolFormProps {
  /** the part of the address that a link has filled in */
  asked: URLSearchParams;
  onDone(): void;
}

const ways = ['address', 'files'] as const;
const keyFiles = '.pub';

export function EnrolForm({ asked, onDone }: EnrolFormProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const title = useId();
  const [draft, setDraft] = useState(() => draftFrom(asked));
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const administering = useAdministering();
  const words = text.profiles.enrol;
  const problems = tried ? problemsOf(draft) : [];
  const set = (change: Partial<EnrolDraft>) => setDraft((before) => ({ ...before, ...change }));

  async function enrol(event: FormEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    setFailure(null);
    if (problemsOf(draft).length > 0) return;
    const call = paramsOf(draft).then((params) => session.call('profile.enrol', params));
    const command = commandOf(draft, text.profiles.administrator.file);
    const done = await administering.attempt(call, command, setFailure);
    if (done === null) return;
    toast('done', words.done(safe(done.profile.issuer)));
    goTo('profiles');
    onDone();
  }

  return (
    <form
      className={styles.form}
      aria-labelledby={title}
      onSubmit={(event) => void enrol(event)}
      noValidate
    >
      <h3 id={title}>{words.title}</h3>
      {asked.has('source') ? (
        <Notice severity="warning" title={words.byLink}>
          <p>{words.byLinkMeans}</p>
        </Notice>
      ) : null}
      <Segments
        title={words.from}
        options={ways}
        labels={words.ways}
        chosen={draft.way}
        onChoose={(way) => set({ way })}
      />
      {draft.way === 'address' ? (
        <SourceField draft={draft} problems={problems} onChange={set} />
      ) : (
        <FilesField draft={draft} problems={problems} onChange={set} />
      )}
      <FingerprintField draft={draft} problems={problems} onChange={set} />
      <Grants draft={draft} onChange={set} />
      <More draft={draft} onChange={set} />
      {failure === null ? null : (
        <p role="alert" className={styles.failure}>
          <FailureWords failure={failure} />
        </p>
      )}
      <div className={styles.actions}>
        <Button variant="main" type="submit" disabled={!live || administering.busy}>
          {administering.busy ? words.trying : words.submit}
        </Button>
      </div>
      <CommandForAdministrator of={administering} />
    </form>
  );
}

interface PartProps {
  draft: EnrolDraft;
  onChange(change: Partial<EnrolDraft>): void;
}

interface FieldProps extends PartProps {
  problems: readonly DraftProblem[];
}

function SourceField({ draft, problems, onChange }: FieldProps) {
  const { text } = useWords();
  const words = text.profiles.enrol;
  return (
    <Field
      label={words.source}
      hint={words.sourceHint}
      problem={problems.includes('source') ? words.sourceProblem : null}
    >
      {(attributes) => (
        <Input
          {...attributes}
          value={draft.source}
          onChange={(event) => onChange({ source: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

function FilesField({ draft, problems, onChange }: FieldProps) {
  const { text, formats } = useWords();
  const words = text.profiles.enrol;
  const missing = missingParts(draft.files);
  const still = words.missing(formats.list(missing.map((part) => words.parts[part])));
  const problem = isTooLarge(draft.files) ? words.tooLarge : missing.length === 0 ? null : still;
  return (
    <Field
      label={words.files}
      hint={words.filesHint}
      problem={problems.includes('files') ? problem : null}
    >
      {(attributes) => (
        <Input
          {...attributes}
          type="file"
          multiple
          onChange={(event) =>
            onChange({ files: sortFiles(Array.from(event.currentTarget.files ?? [])) })
          }
        />
      )}
    </Field>
  );
}

function FingerprintField({ draft, problems, onChange }: FieldProps) {
  const { text, formats } = useWords();
  const words = text.profiles.enrol;
  const digits = digitsIn(draft.fingerprint);
  const typed = digits === 0 ? '' : ` ${words.digits(formats.count(digits))}`;
  return (
    <Field
      label={words.fingerprint}
      hint={`${words.fingerprintHint}${typed}`}
      problem={problems.includes('fingerprint') ? words.fingerprintProblem : null}
    >
      {(attributes) => (
        <TextArea
          {...attributes}
          rows={2}
          value={draft.fingerprint}
          onChange={(event) => onChange({ fingerprint: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

function Grants({ draft, onChange }: PartProps) {
  const { text } = useWords();
  const words = text.profiles.enrol;
  return (
    <fieldset className={styles.grants}>
      <legend>{words.allow}</legend>
      <p className={styles.quiet}>{words.allowMeans}</p>
      {grants.map((grant) => (
        <label key={grant}>
          <input
            type="checkbox"
            checked={draft.grants.includes(grant)}
            onChange={(event) =>
              onChange({
                grants: event.currentTarget.checked
                  ? [...draft.grants, grant]
                  : draft.grants.filter((one) => one !== grant),
              })
            }
          />
          {text.profiles.grants[grant]}
        </label>
      ))}
    </fieldset>
  );
}

/** Open where a link has filled in something of it, so that nothing is sent that was not seen. */
function More({ draft, onChange }: PartProps) {
  const { text } = useWords();
  const [open, setOpen] = useState(draft.ring !== '' || draft.address !== '');
  const words = text.profiles.enrol;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.more}</summary>
      <div className={styles.more}>
        <Field label={words.ring} hint={words.ringHint}>
          {(attributes) => (
            <Input
              {...attributes}
              value={draft.ring}
              onChange={(event) => onChange({ ring: event.currentTarget.value })}
            />
          )}
        </Field>
        {draft.way === 'files' ? null : (
          <>
            <Field label={words.address} hint={words.addressHint}>
              {(attributes) => (
                <Input
                  {...attributes}
                  value={draft.address}
                  onChange={(event) => onChange({ address: event.currentTarget.value })}
                />
              )}
            </Field>
            <Field label={words.key} hint={words.keyHint}>
              {(attributes) => (
                <Input
                  {...attributes}
                  type="file"
                  accept={keyFiles}
                  onChange={(event) => {
                    const [key] = event.currentTarget.files ?? [];
                    onChange({ files: key === undefined ? {} : { key } });
                  }}
                />
              )}
            </Field>
          </>
        )}
      </div>
    </details>
  );
}
