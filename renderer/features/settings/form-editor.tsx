/** The fields of an object. A field that is left empty is left out, where it may be. */
import { useId } from 'react';
import { Field, Select } from '../../components/field.tsx';
import { Switch } from '../../components/switch.tsx';
import { useWords } from '../../text/use-text.ts';
import type { OuterEditorProps } from './editor-props.ts';
import {
  type ControlKind,
  emptyValue,
  type FormField,
  type SettingControl,
  type SettingJson,
} from './setting-control.ts';
import styles from './setting-form.module.css';
import { fieldWords, wordFor } from './setting-words.ts';

export function FormEditor(props: OuterEditorProps<ControlKind<'form'>>) {
  const { control, value, disabled, onChange, Inner } = props;
  const given = fieldsOf(value);
  return (
    <div className={styles.fields}>
      {control.fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={given[field.name]}
          disabled={disabled}
          Inner={Inner}
          onChange={(next) => onChange(withField(given, field, next))}
        />
      ))}
    </div>
  );
}

interface OneFieldProps extends Pick<OuterEditorProps<SettingControl>, 'Inner'> {
  field: FormField;
  /** undefined: it is left out */
  value: SettingJson | undefined;
  disabled: boolean;
  onChange(value: SettingJson | undefined): void;
}

function OneField(props: OneFieldProps) {
  const { name, isRequired, control } = props.field;
  if (control.is === 'switch') return <OptionalSwitch {...props} />;
  if (!isRequired && control.is === 'form') return <OptionalForm {...props} control={control} />;
  if (!isRequired && control.is === 'choice')
    return <OptionalChoice {...props} control={control} />;
  if (control.is === 'words' || control.is === 'list' || control.is === 'map')
    return <GroupField {...props} control={control} />;
  return <PlainField {...props} name={name} />;
}

function PlainField({
  field,
  name,
  value,
  disabled,
  onChange,
  Inner,
}: OneFieldProps & { name: string }) {
  const spoken = useWords();
  const { label, hint } = fieldWords(name, spoken);
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <Inner
          name={name}
          control={field.control}
          value={value ?? emptyValue(field.control)}
          disabled={disabled}
          attributes={{ ...attributes }}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

function OptionalChoice(props: OneFieldProps & { control: ControlKind<'choice'> }) {
  const { field, control, value, disabled, onChange } = props;
  const spoken = useWords();
  const { label, hint } = fieldWords(field.name, spoken);
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <Select
          {...attributes}
          disabled={disabled}
          value={value === undefined ? '' : String(value)}
          options={[
            ['', spoken.text.settingForms.asElsewhere] as const,
            ...control.options.map((word) => [word, wordFor(field.name, word, spoken)] as const),
          ]}
          onChoose={(word) => onChange(word === '' ? undefined : word)}
        />
      )}
    </Field>
  );
}

function OptionalSwitch({ field, value, disabled, onChange }: OneFieldProps) {
  const spoken = useWords();
  const { label, hint } = fieldWords(field.name, spoken);
  return (
    <div className={styles.field}>
      <Switch
        label={label}
        on={value === true}
        disabled={disabled}
        onChange={(on) => onChange(on || (field.isRequired ? false : undefined))}
      />
      {hint === null ? null : <p className={styles.quiet}>{hint}</p>}
    </div>
  );
}

function OptionalForm(props: OneFieldProps & { control: SettingControl }) {
  const { field, control, value, disabled, onChange, Inner } = props;
  const { label, hint } = fieldWords(field.name, useWords());
  return (
    <fieldset className={styles.group} aria-label={label}>
      <Switch
        label={label}
        on={value !== undefined}
        disabled={disabled}
        onChange={(on) => onChange(on ? emptyValue(control) : undefined)}
      />
      {hint === null ? null : <p className={styles.quiet}>{hint}</p>}
      {value === undefined ? null : (
        <div className={styles.inside}>
          <Inner
            name={field.name}
            control={control}
            value={value}
            disabled={disabled}
            attributes={{ 'aria-label': label }}
            onChange={onChange}
          />
        </div>
      )}
    </fieldset>
  );
}

function GroupField(props: OneFieldProps & { control: SettingControl }) {
  const { field, control, value, disabled, onChange, Inner } = props;
  const { text, ...rest } = useWords();
  const id = useId();
  const { label, hint } = fieldWords(field.name, { text, ...rest });
  const mayStayOut = control.is === 'words' && control.mayBeEmpty && !field.isRequired;
  return (
    <div className={styles.field} data-wide={control.is === 'list' || field.name === 'days'}>
      <strong id={id}>{label}</strong>
      {hint === null ? null : <p className={styles.quiet}>{hint}</p>}
      {mayStayOut ? (
        <Select
          aria-labelledby={id}
          disabled={disabled}
          value={value === undefined ? 'elsewhere' : 'own'}
          options={[
            ['elsewhere', text.settingForms.asElsewhere],
            ['own', text.settingForms.ownChoice],
          ]}
          onChoose={(chosen) => onChange(chosen === 'own' ? [] : undefined)}
        />
      ) : null}
      {mayStayOut && value === undefined ? null : (
        <Inner
          name={field.name}
          control={control}
          value={value ?? emptyValue(control)}
          disabled={disabled}
          attributes={{ 'aria-labelledby': id }}
          onChange={onChange}
        />
      )}
    </div>
  );
}

type Fields = Readonly<Record<string, SettingJson>>;

function fieldsOf(value: SettingJson): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function withField(fields: Fields, field: FormField, value: SettingJson | undefined): Fields {
  const { [field.name]: _, ...others } = fields;
  const isLeftOut = value === undefined || (!field.isRequired && isEmptyFor(field.control, value));
  return isLeftOut ? others : { ...others, [field.name]: value };
}

/** An empty list says the same as none, unless it may be empty on purpose. */
function isEmptyFor(control: SettingControl, value: SettingJson): boolean {
  if (control.is === 'words' || control.is === 'lines')
    return !control.mayBeEmpty && Array.isArray(value) && value.length === 0;
  return Array.isArray(value) ? value.length === 0 : value === '';
}
