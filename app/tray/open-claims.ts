/** Names that a network claims and that wait for an answer, as the health issues report them. Pure. */
import type { Params } from '../contract/service-api.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';

/** A domain, and the link that claims it: an answer names both. */
export type OpenClaim = Pick<Params<'rule.answer'>, 'suffix' | 'link'>;

export function openClaims({ health }: Pick<ServiceStatus, 'health'>): OpenClaim[] {
  return health
    .filter(({ code }) => code === 'names-claimed')
    .flatMap(({ says }) => says)
    .filter(({ code }) => code === 'name-claimed')
    .map(({ params }) => ({ suffix: `${params['suffix']}`, link: `${params['link']}` }));
}
