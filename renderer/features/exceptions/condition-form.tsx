/** Where, for whom and when an exception holds. */
import type { ReactNode } from 'react';
import { weekdays } from '../../../app/contract/settings/condition.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Field, Input } from '../../components/field.tsx';
import { useAsked } from '../../state/asked.ts';
import { useWords } from '../../text/use-text.ts';
import type { ConditionDraft, ConditionProblem, HoursDraft } from './condition-draft.ts';
import styles from './condition-form.module.css';

interface ConditionFormProps {
  draft: ConditionDraft;
  problems: readonly ConditionProblem[];
  onChange(draft: ConditionDraft): void;
}

export function ConditionForm({ draft, problems, onChange }: ConditionFormProps) {
  const words = useWords().text.exceptions.condition;
  const problemAt = useProblems(problems);
  const isOpen =
    problems.length > 0 || [draft.network, draft.unit, draft.user].some((text) => text !== '');
  return (
    <details className={styles.condition} open={isOpen || draft.hours.length > 0}>
      <summary>{words.title}</summary>
      <div className={styles.fields}>
        <p className={styles.note}>{words.about}</p>
        {(['network', 'unit', 'user'] as const).map((of) => (
          <div key={of} className={styles.field}>
            <Field label={words[of]} hint={words[`${of}Hint`]} problem={problemAt(of)}>
              {(attributes) => (
                <Input
                  {...attributes}
                  value={draft[of]}
                  maxLength={2048}
                  onChange={(event) => onChange({ ...draft, [of]: event.currentTarget.value })}
                />
              )}
            </Field>
            {of === 'network' ? (
              <KnownNetworks
                written={draft.network}
                onChange={(network) => onChange({ ...draft, network })}
              />
            ) : null}
          </div>
        ))}
        <Hours
          of={draft.hours}
          problem={problemAt('hours')}
          onChange={(hours) => onChange({ ...draft, hours })}
        />
      </div>
    </details>
  );
}

function useProblems(problems: readonly ConditionProblem[]) {
  const words = useWords().text.exceptions.condition;
  return (field: 'network' | 'unit' | 'user' | 'hours'): string | null => {
    const [found] = problems.filter(
      (problem) => problem.at === field || (problem.at === 'too-many' && problem.of === field),
    );
    if (found === undefined) return null;
    if (found.at === 'too-many') return words.tooMany;
    if (found.at === 'hours') return words.hoursProblem;
    return found.at === 'unit'
      ? words.unitProblem(safe(found.word))
      : words.userProblem(safe(found.word));
  };
}

/** Those that a person named, because a name is all that a condition needs. */
function KnownNetworks({ written, onChange }: { written: string; onChange(text: string): void }) {
  const { text } = useWords();
  const networks = useAsked('network.list', {}).value?.networks ?? [];
  const given = written.split(',').map((word) => word.trim());
  const names = networks.flatMap(({ name }) =>
    name === null || given.includes(name) || name.includes(',') ? [] : [name],
  );
  if (names.length === 0) return null;
  return (
    <p className={styles.known}>
      {names.slice(0, 8).map((name) => (
        <Button
          key={name}
          aria-label={text.exceptions.dialog.use(safe(name))}
          onClick={() => onChange([...given.filter((word) => word !== ''), name].join(', '))}
        >
          {safe(name)}
        </Button>
      ))}
    </p>
  );
}

interface HoursProps {
  of: readonly HoursDraft[];
  problem: string | null;
  onChange(hours: HoursDraft[]): void;
}

function Hours({ of: hours, problem, onChange }: HoursProps) {
  const words = useWords().text.exceptions.condition;
  const none: HoursDraft = { days: [], from: '', to: '' };
  return (
    <fieldset className={styles.hours}>
      <legend>{words.hours}</legend>
      <p className={styles.note}>{words.hoursHint}</p>
      {hours.map((one, place) => (
        <OneWindow
          // biome-ignore lint/suspicious/noArrayIndexKey: a window has nothing else that stays while it is written
          key={place}
          of={one}
          place={place + 1}
          onChange={(changed) => onChange(hours.map((one, at) => (at === place ? changed : one)))}
          onRemove={() => onChange(hours.filter((_, at) => at !== place))}
        />
      ))}
      {problem === null ? null : (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      {hours.length < 16 ? (
        <div>
          <Button onClick={() => onChange([...hours, none])}>{words.addHours}</Button>
        </div>
      ) : null}
    </fieldset>
  );
}

interface OneWindowProps {
  of: HoursDraft;
  /** from 1 */
  place: number;
  onChange(hours: HoursDraft): void;
  onRemove(): void;
}

function OneWindow({ of: hours, place, onChange, onRemove }: OneWindowProps): ReactNode {
  const { text } = useWords();
  const words = text.exceptions.condition;
  const choose = (day: (typeof weekdays)[number], on: boolean) =>
    onChange({
      ...hours,
      days: weekdays.filter((one) => (one === day ? on : hours.days.includes(one))),
    });
  return (
    <div className={styles.window}>
      {(['from', 'to'] as const).map((end) => (
        <div key={end} className={styles.time}>
          <Field label={words[end]}>
            {(attributes) => (
              <Input
                {...attributes}
                maxLength={5}
                value={hours[end]}
                onChange={(event) => onChange({ ...hours, [end]: event.currentTarget.value })}
              />
            )}
          </Field>
        </div>
      ))}
      <div className={styles.days}>
        {weekdays.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={hours.days.includes(day)}
              onChange={(event) => choose(day, event.currentTarget.checked)}
            />
            {text.exceptions.when.days[day]}
          </label>
        ))}
      </div>
      <Button aria-label={words.removeHours(place)} onClick={onRemove}>
        {text.exceptions.remove}
      </Button>
    </div>
  );
}
