/** The steps that lead from what is held to what was decided. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { SystemDnsMechanism } from '../../contract/system/system-dns.ts';
import type { Decision } from './decide.ts';
import type { Holding, LinkRef, ServerAddress, Target } from './mechanism.ts';

export interface Held extends Holding {
  mechanism: SystemDnsMechanism;
}

export interface Step extends Target {
  mechanism: SystemDnsMechanism;
  /** another program has changed our settings there */
  changedByOthers: boolean;
}

export interface Plan {
  /** comes before anything is taken: two mechanisms must not take each other's settings for the original ones */
  giveBack: Held[];
  take: Step[];
}

export function planOf(held: readonly Held[], decided: Exclude<Decision, { kind: 'wait' }>): Plan {
  // A machine without a link must find its next one led to us, after a boot as well.
  if (decided.kind === 'give-back')
    return {
      giveBack: held.filter(({ overBoot }) => overBoot !== true || decided.why !== 'no-link'),
      take: [],
    };
  const { mechanism, targets, servers } = decided;
  const heldFor = (link: LinkRef | null) =>
    held.find((one) => one.mechanism === mechanism && isDeepStrictEqual(one.link, link));
  return {
    giveBack: held.filter(
      (one) =>
        !targets.some(({ link }) => heldFor(link) === one) &&
        !(one.overBoot === true && one.mechanism === mechanism),
    ),
    take: targets
      .map((target) => ({ mechanism, ...target, there: heldFor(target.link) }))
      .filter(({ search, there }) => !(there && stands(there) && tells(there, servers, search)))
      .map(({ there, ...step }) => ({
        ...step,
        changedByOthers: there !== undefined && !stands(there),
      })),
  };
}

function tells(
  held: Holding,
  servers: readonly ServerAddress[],
  search: Target['search'],
): boolean {
  return isDeepStrictEqual([held.servers, held.search], [servers, search]);
}

/** Unknown counts as in place. */
export function stands({ inPlace }: Holding): boolean {
  return inPlace !== false;
}
