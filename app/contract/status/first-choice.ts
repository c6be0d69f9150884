/** Which upstream gets queries first, and which ones can be made that. Pure, and without a validator, because the page reads it. */
import type { ServiceStatus } from './service-status.ts';

type Seen = Pick<ServiceStatus, 'upstreams' | 'groups'>;

/** Its id; null where the order decides nothing, or there is none. Of names that belong to no group. */
export function firstChoice({ upstreams, groups }: Seen): string | null {
  const strategy = groups.find(({ id }) => id === '')?.strategy ?? 'ordered';
  if (strategy !== 'ordered' && strategy !== 'race') return null;
  return upstreams.find(({ group }) => group === '')?.id ?? null;
}

/** Those that are not the first choice, and would be if they came first. */
export function otherChoices(seen: Seen): ReadonlySet<string> {
  const first = firstChoice(seen);
  if (first === null) return new Set();
  const others = seen.upstreams.filter(({ id, group }) => group === '' && id !== first);
  return new Set(others.map(({ id }) => id));
}
