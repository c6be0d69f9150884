/** For whom, where and when an exception holds; nothing written: for everybody, everywhere, always. */
import { useId } from 'react';
import { weekdays } from '../../../app/contract/settings/condition.ts';
import { Field, Input } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import { type ConditionFields, wrongPart } from './condition-words.ts';
import styles from './exceptions.module.css';

interface ConditionFormProps {
  fields: ConditionFields;
  /** whether what can't be meant is said */
  tried: boolean;
  /** times of the rule that are not in the fields */
  moreTimes: number;
  onChange(fields: ConditionFields): void;
}

export function ConditionForm({ fields, tried, moreTimes, onChange }: ConditionFormProps) {
  const { text, formats } = useWords();
  const words = text.exceptions.conditionForm;
  const wrong = tried ? wrongPart(fields) : null;
  const written = (name: 'users' | 'units') => (
    <Field
      label={words[name]}
      hint={words.hints[name]}
      problem={wrong === name ? words.wrong[name] : null}
    >
      {(attributes) => (
        <Input
          {...attributes}
          value={fields[name]}
          onChange={(event) => onChange({ ...fields, [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <div className={styles.form}>
      {written('users')}
      {written('units')}
      <Field label={words.networks} hint={words.hints.networks}>
        {(attributes) => (
          <Input
            {...attributes}
            value={fields.networks}
            onChange={(event) => onChange({ ...fields, networks: event.currentTarget.value })}
          />
        )}
      </Field>
      <div className={styles.hours}>
        <Time
          label={words.from}
          value={fields.from}
          onChange={(from) => onChange({ ...fields, from })}
        />
        <Time label={words.to} value={fields.to} onChange={(to) => onChange({ ...fields, to })} />
      </div>
      {wrong === 'hours' ? (
        <p className={styles.failure} role="alert">
          {words.wrong.hours}
        </p>
      ) : null}
      <fieldset className={styles.days}>
        <legend>{words.days}</legend>
        {weekdays.map((day, place) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={fields.days.includes(day)}
              onChange={(event) =>
                onChange({
                  ...fields,
                  days: event.currentTarget.checked
                    ? [...fields.days, day]
                    : fields.days.filter((one) => one !== day),
                })
              }
            />
            {formats.weekday(place)}
          </label>
        ))}
      </fieldset>
      {moreTimes === 0 ? null : <p className={styles.note}>{words.moreTimes(moreTimes)}</p>}
    </div>
  );
}

interface TimeProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

function Time({ label, value, onChange }: TimeProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <Input
        id={id}
        type="time"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
