/** What most people want to see of the query log: one class of queries, with its count, a last stretch of time, or what occurs most. */
import { type Facet, facetFilters, facets } from '../../../app/contract/query-log/query-class.ts';
import { ClassMark } from '../../components/class-chart.tsx';
import { Segments } from '../../components/segments.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './choices.module.css';
import { type Choice, type FilterState, isChosen, withChoice } from './filter-state.ts';
import type { Rows } from './query-log-store.ts';
import { useFacets } from './use-facets.ts';
import { type View, views } from './view.ts';

const ofFacet = ['outcome', 'clear', 'slower'] as const;
const ofRange = ['since', 'until'] as const;

const choiceOf = (facet: Facet): Choice => ({ terms: facetFilters[facet], fields: ofFacet });

const ranges = {
  '1h': { terms: 'since:1h', fields: ofRange },
  '24h': { terms: 'since:1d', fields: ofRange },
  '7d': { terms: 'since:7d', fields: ofRange },
  always: { terms: '', fields: ofRange },
} as const satisfies Record<string, Choice>;
const rangeNames = Object.keys(ranges) as (keyof typeof ranges)[];

interface ChoicesProps {
  filter: FilterState;
  rows: Rows;
  view: View;
  onFilter(filter: string): void;
  onView(view: View): void;
}

export function Choices({ filter, rows, view, onFilter, onView }: ChoicesProps) {
  const { text, formats } = useWords();
  const { classes, ranges: rangeWords, views: viewWords } = text.queryLog;
  const counted = useFacets(withChoice(filter, choiceOf('all')), rows);
  const countOf = (facet: Facet) =>
    counted === null ? '' : `${counted.isExact ? '' : '≈ '}${formats.count(counted.counts[facet])}`;
  return (
    <div className={styles.choices}>
      <fieldset aria-label={classes.title} className={styles.classes}>
        {facets.map((facet) => {
          const choice = choiceOf(facet);
          const count = countOf(facet);
          return (
            <button
              key={facet}
              type="button"
              className={styles.choice}
              aria-pressed={isChosen(filter, choice)}
              onClick={() => onFilter(withChoice(filter, choice))}
            >
              {facet === 'all' || facet === 'slow' ? null : <ClassMark of={facet} />}
              {classes[facet]} {count === '' ? null : <span className={styles.count}>{count}</span>}
            </button>
          );
        })}
      </fieldset>
      <Segments
        title={rangeWords.title}
        options={rangeNames}
        labels={rangeWords}
        chosen={rangeNames.find((name) => isChosen(filter, ranges[name])) ?? null}
        onChoose={(name) => onFilter(withChoice(filter, ranges[name]))}
      />
      <Segments
        title={viewWords.title}
        options={views}
        labels={viewWords}
        chosen={view}
        onChoose={onView}
      />
    </div>
  );
}
