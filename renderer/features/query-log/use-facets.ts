/** How many queries of each class fit the filter: first about, where that takes long, then exactly. */
import type { FacetCounts } from '../../../app/contract/query-log/log-api.ts';
import type { Rows } from './query-log-store.ts';
import { useCounted } from './use-counted.ts';

/** null: not counted yet for this filter */
export function useFacets(filter: string, rows: Rows): FacetCounts | null {
  const { value, isOld } = useCounted(
    {
      method: 'log.facets',
      key: filter,
      params: () => ({ filter }),
      early: ({ facets }) => facets,
    },
    rows,
  );
  return isOld ? null : value;
}
