/** How many queries of each class fit the filter: first about, where that takes long, then exactly. */
import { useEffect, useState } from 'react';
import type { FacetCounts } from '../../../app/contract/query-log/log-api.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { nextProgress, type Rows } from './query-log-store.ts';

/** null: not counted yet, or not for this filter. Counted again when the rows that fit were counted again. */
export function useFacets(filter: string, { total, loading }: Rows): FacetCounts | null {
  const { session } = useService();
  const state = useStore(session.state);
  const [counted, setCounted] = useState<{ of: string; facets: FacetCounts } | null>(null);
  const all = total?.of ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of rows is a reason to count again
  useEffect(() => {
    if (state.is !== 'connected' || loading) return;
    const progress = nextProgress();
    let current = true;
    const show = (facets: FacetCounts) => current && setCounted({ of: filter, facets });
    const stop = state.connection.on('log.progress', (told) => {
      if (told.progress === progress && told.facets !== undefined) show(told.facets);
    });
    void state.connection.call('log.facets', { filter, progress }).then((found) => {
      stop();
      if (found.ok) show(found.value);
    });
    return () => {
      current = false;
      stop();
    };
  }, [state, filter, all, loading]);
  return counted?.of === filter ? counted.facets : null;
}
