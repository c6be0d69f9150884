/** A labelled field to type or choose in, with its help and its error. */
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  /** drawn with these attributes, so that label, hint and problem belong to it */
  children(attributes: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }): ReactNode;
  hint?: ReactNode;
  problem?: ReactNode;
}

export function Field({ label, children, hint, problem }: FieldProps) {
  const id = useId();
  const isWrong = problem !== undefined && problem !== null && problem !== '';
  const described = [hint ? `${id}-hint` : '', isWrong ? `${id}-problem` : ''];
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described.filter(Boolean).join(' ') || undefined,
        'aria-invalid': isWrong,
      })}
      {hint ? (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      ) : null}
      {isWrong ? (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </p>
      ) : null}
    </div>
  );
}

export function Input(props: ComponentProps<'input'>) {
  return <input autoComplete="off" spellCheck={false} {...props} className={styles.input} />;
}

export function TextArea(props: ComponentProps<'textarea'>) {
  return <textarea autoComplete="off" spellCheck={false} {...props} className={styles.input} />;
}

interface SelectProps<Value extends string> extends Omit<ComponentProps<'select'>, 'onChange'> {
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChoose(value: Value): void;
}

/** The platform's own list: it works on every screen and with every screen reader. */
export function Select<Value extends string>({ options, onChoose, ...rest }: SelectProps<Value>) {
  return (
    <select
      {...rest}
      className={styles.input}
      onChange={(event) => onChoose(event.currentTarget.value as Value)}
    >
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
