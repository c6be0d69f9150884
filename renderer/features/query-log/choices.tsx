/** What most people want to see of the query log: one class of queries, or a last stretch of time. */
import { classFilters, queryClasses } from '../../../app/contract/query-log/query-class.ts';
import { useWords } from '../../text/use-text.ts';
import { slowMs } from './attention.ts';
import styles from './choices.module.css';
import { type Choice, type FilterState, isChosen, withChoice } from './filter-state.ts';

type ClassName = 'all' | 'slow' | (typeof queryClasses)[number];

const ofClass = ['outcome', 'clear', 'slower'] as const;
const classes: readonly [name: ClassName, choice: Choice][] = [
  ['all', { terms: '', fields: ofClass }],
  ...queryClasses.map((name): [ClassName, Choice] => [
    name,
    { terms: classFilters[name], fields: ofClass },
  ]),
  ['slow', { terms: `slower:${slowMs}ms`, fields: ofClass }],
];

const ranges: readonly [name: '1h' | '24h' | '7d' | 'always', choice: Choice][] = [
  ['1h', { terms: 'since:1h', fields: ['since', 'until'] }],
  ['24h', { terms: 'since:1d', fields: ['since', 'until'] }],
  ['7d', { terms: 'since:7d', fields: ['since', 'until'] }],
  ['always', { terms: '', fields: ['since', 'until'] }],
];

interface ChoicesProps {
  filter: FilterState;
  onChange(filter: string): void;
}

export function Choices({ filter, onChange }: ChoicesProps) {
  const { text } = useWords();
  const button = (label: string, choice: Choice) => (
    <button
      key={label}
      type="button"
      className={styles.choice}
      aria-pressed={isChosen(filter, choice)}
      onClick={() => onChange(withChoice(filter, choice))}
    >
      {label}
    </button>
  );
  return (
    <div className={styles.choices}>
      <fieldset aria-label={text.queryLog.classes.title} className={styles.group}>
        {classes.map(([name, choice]) => button(text.queryLog.classes[name], choice))}
      </fieldset>
      <fieldset aria-label={text.queryLog.ranges.title} className={styles.group}>
        {ranges.map(([name, choice]) => button(text.queryLog.ranges[name], choice))}
      </fieldset>
    </div>
  );
}
