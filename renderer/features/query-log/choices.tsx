/** What most people want to see of the query log: one class of queries, with its count, or a last stretch of time. */
import { type Facet, facetFilters, facets } from '../../../app/contract/query-log/query-class.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './choices.module.css';
import { type Choice, type FilterState, isChosen, withChoice } from './filter-state.ts';
import type { Rows } from './query-log-store.ts';
import { useFacets } from './use-facets.ts';

const ofFacet = ['outcome', 'clear', 'slower'] as const;
const ofRange = ['since', 'until'] as const;

const choiceOf = (facet: Facet): Choice => ({ terms: facetFilters[facet], fields: ofFacet });

const ranges: readonly [name: '1h' | '24h' | '7d' | 'always', choice: Choice][] = [
  ['1h', { terms: 'since:1h', fields: ofRange }],
  ['24h', { terms: 'since:1d', fields: ofRange }],
  ['7d', { terms: 'since:7d', fields: ofRange }],
  ['always', { terms: '', fields: ofRange }],
];

interface ChoicesProps {
  filter: FilterState;
  rows: Rows;
  onChange(filter: string): void;
}

export function Choices({ filter, rows, onChange }: ChoicesProps) {
  const { text, formats } = useWords();
  const { classes } = text.queryLog;
  const counted = useFacets(withChoice(filter, choiceOf('all')), rows);
  const button = (label: string, choice: Choice, count = '') => (
    <button
      key={label}
      type="button"
      className={styles.choice}
      aria-pressed={isChosen(filter, choice)}
      onClick={() => onChange(withChoice(filter, choice))}
    >
      {label} {count === '' ? null : <span className={styles.count}>{count}</span>}
    </button>
  );
  const countOf = (facet: Facet) =>
    counted === null ? '' : `${counted.isExact ? '' : '≈ '}${formats.count(counted.counts[facet])}`;
  return (
    <div className={styles.choices}>
      <fieldset aria-label={classes.title} className={styles.group}>
        {facets.map((facet) => button(classes[facet], choiceOf(facet), countOf(facet)))}
      </fieldset>
      <fieldset aria-label={text.queryLog.ranges.title} className={styles.group}>
        {ranges.map(([name, choice]) => button(text.queryLog.ranges[name], choice))}
      </fieldset>
    </div>
  );
}
