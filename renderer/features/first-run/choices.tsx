/** One of several choices, each with its consequences. */
import { type ReactNode, useId } from 'react';
import styles from './first-run.module.css';

interface ChoicesProps<Value extends string> {
  legend: string;
  chosen: Value;
  disabled: boolean;
  options: readonly { value: Value; title: string; means: ReactNode; beside?: ReactNode }[];
  onChoose(value: Value): void;
}

export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { legend, chosen, disabled, options, onChoose } = props;
  const name = useId();
  return (
    <fieldset className={styles.choices} disabled={disabled}>
      <legend className="spoken">{legend}</legend>
      {options.map(({ value, title, means, beside }) => (
        <div key={value} className={styles.choice} data-chosen={value === chosen}>
          <input
            type="radio"
            id={`${name}-${value}`}
            name={name}
            value={value}
            checked={value === chosen}
            aria-describedby={`${name}-${value}-means`}
            onChange={() => onChoose(value)}
          />
          <div className={styles.words}>
            <label className={styles.label} htmlFor={`${name}-${value}`}>
              {title}
            </label>
            {beside}
            <div id={`${name}-${value}-means`} className={styles.means}>
              {means}
            </div>
          </div>
        </div>
      ))}
    </fieldset>
  );
}
