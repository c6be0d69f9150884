/** How the rows that fit are shown: one by one, or what occurs most among them. The address keeps it. */
import { topKinds } from '../../../app/contract/query-log/log-api.ts';
import type { Route } from '../../state/route.ts';

export const views = ['list', ...topKinds] as const;
export type View = (typeof views)[number];

export function viewOf({ query }: Route): View {
  const named = query.get('view');
  return views.find((view) => view === named) ?? 'list';
}
