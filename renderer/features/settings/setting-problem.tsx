/** Why a value was refused, in the reader's language; the service's own words where the page has none. */
import type { Failure } from '../../../app/contract/errors.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { exactReason, wordsForFailure } from '../../text/said.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import { type Refusal, refusalsOf } from './refusals.ts';
import type { SettingJson } from './setting-control.ts';
import styles from './setting-line.module.css';
import { fieldWords } from './setting-words.ts';
import type { Setting } from './settings-store.ts';

interface SettingProblemProps {
  id: string;
  setting: Setting;
  failure: Failure;
  /** null: it was to be reset */
  value: SettingJson | null;
}

export function SettingProblem({ id, setting, failure, value }: SettingProblemProps) {
  const spoken = useWords();
  const { text } = spoken;
  const known =
    failure.code === 'settings-invalid' && value !== null
      ? refusalsOf(setting.schema, value, setting.key)
      : [];
  const said = [...new Set(known.map((refusal) => sayRefusal(refusal, spoken)))];
  const refused = wordsForFailure(failure, spoken.language);
  const exact = refused === null ? null : exactReason(failure, spoken.language);
  return (
    <div id={id} className={styles.problem} role="alert">
      {said.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {said.length > 0 ? (
        <p>{text.settingForms.refused}</p>
      ) : (
        <p>
          {refused === null ? null : `${refused} `}
          {exact === null ? <span lang="en">{safe(failure.message)}</span> : null}
        </p>
      )}
    </div>
  );
}

function sayRefusal({ kind, value, field, least, most }: Refusal, spoken: Words): string {
  const { text, formats } = spoken;
  const { wrong } = text.settingForms;
  const sentence = wrong[kind];
  if (typeof sentence === 'string') return sentence;
  if (kind === 'range') return wrong.range(safe(value), formats.count(least), formats.count(most));
  const subject = kind === 'missing' || kind === 'many' ? fieldWords(field, spoken).label : value;
  return sentence(safe(subject), '', '');
}
