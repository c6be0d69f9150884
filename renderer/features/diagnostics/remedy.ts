/** A finding's remedy, where this page knows the method: it calls no method just because a finding names it. Pure. */

import type { Params } from '../../../app/contract/service-api.ts';
import type { RemedyAction } from '../../../app/contract/status/finding.ts';
import { misfit } from '../../bridge/misfit.ts';

const known = ['protection.on', 'consent.retry', 'upstream.test', 'system.take'] as const;
type Known = (typeof known)[number];

export type Remedy = { [Name in Known]: { method: Name; params: Params<Name> } }[Known];

/** null: only a person can carry it out, or the service is newer than this page. */
export function readRemedy(action: RemedyAction | null): Remedy | null {
  const method = known.find((name) => name === action?.method);
  if (method === undefined || action === null) return null;
  const { params } = action;
  return misfit('params', method, params) === null ? ({ method, params } as Remedy) : null;
}
