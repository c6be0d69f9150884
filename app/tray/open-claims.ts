/** Names that the network says are its own and that wait for an answer, as the health issues tell them. Pure. */
import type { Params } from '../contract/service-api.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';

/** A domain, and the link that claims it: what an answer names. */
export type OpenClaim = Pick<Params<'rule.answer'>, 'suffix' | 'link'>;

export function openClaims({ health }: Pick<ServiceStatus, 'health'>): OpenClaim[] {
  return health
    .filter(({ code }) => code === 'names-claimed')
    .flatMap(({ says }) => says)
    .filter(({ code }) => code === 'name-claimed')
    .map(({ params }) => ({ suffix: `${params['suffix']}`, link: `${params['link']}` }));
}
