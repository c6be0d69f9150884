/** A finding's action, where this page knows what it does: it calls nothing merely because it was told to. Pure. */
import type { RemedyAction } from '../../../app/contract/finding.ts';
import { type Params, serviceApi } from '../../../app/contract/service-api.ts';

const known = ['protection.on', 'ask.retry', 'upstream.test'] as const;
type Known = (typeof known)[number];

export type Remedy = { [Name in Known]: { method: Name; params: Params<Name> } }[Known];

/** null: only a person can, or the service is newer than this page. */
export function readRemedy(action: RemedyAction | null): Remedy | null {
  const method = known.find((name) => name === action?.method);
  if (method === undefined || action === null) return null;
  const params = serviceApi.methods[method].params.safeParse(action.params);
  return params.success ? ({ method, params: params.data } as Remedy) : null;
}
