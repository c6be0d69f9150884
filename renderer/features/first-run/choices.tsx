/** One of several choices, each with its consequences. */
import { type ReactNode, useId, useState } from 'react';
import styles from './first-run.module.css';

export interface Option<Value extends string> {
  value: Value;
  title: string;
  means: ReactNode;
  beside?: ReactNode;
}

interface ChoicesProps<Value extends string> {
  legend: string;
  chosen: Value;
  options: readonly Option<Value>[];
  onChoose(value: Value): void;
  /** further choices that are unfolded on request, with what belongs to them */
  more?: { title: string; options: readonly Option<Value>[]; children: ReactNode };
}

export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { legend, chosen, options, onChoose, more } = props;
  const name = useId();
  const draw = (option: Option<Value>) => (
    <Choice
      key={option.value}
      name={name}
      option={option}
      chosen={option.value === chosen}
      onChoose={() => onChoose(option.value)}
    />
  );
  return (
    <fieldset className={styles.choices}>
      <legend className="spoken">{legend}</legend>
      {options.map(draw)}
      {more === undefined ? null : (
        <More title={more.title} opensAtFirst={more.options.some(({ value }) => value === chosen)}>
          {more.options.map(draw)}
          {more.children}
        </More>
      )}
    </fieldset>
  );
}

interface MoreProps {
  title: string;
  /** later choices do not fold it: what is under the pointer stays there */
  opensAtFirst: boolean;
  children: ReactNode;
}

function More({ title, opensAtFirst, children }: MoreProps) {
  const [open] = useState(opensAtFirst);
  return (
    <details className={styles.more} open={open}>
      <summary>{title}</summary>
      <div className={styles.choices}>{children}</div>
    </details>
  );
}

interface ChoiceProps {
  name: string;
  option: Option<string>;
  chosen: boolean;
  onChoose(): void;
}

function Choice({ name, option: { value, title, means, beside }, chosen, onChoose }: ChoiceProps) {
  const id = `${name}-${value}`;
  return (
    <div className={styles.choice} data-chosen={chosen}>
      <input
        type="radio"
        id={id}
        name={name}
        value={value}
        checked={chosen}
        aria-describedby={`${id}-means`}
        onChange={onChoose}
      />
      <div className={styles.words}>
        <label className={styles.label} htmlFor={id}>
          {title}
        </label>
        {beside}
        <div id={`${id}-means`} className={styles.means}>
          {means}
        </div>
      </div>
    </div>
  );
}
