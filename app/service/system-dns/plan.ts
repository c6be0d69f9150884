/** What there is to do until what is held is what was decided. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { SystemDnsMechanism } from '../../contract/system-dns.ts';
import type { Decision } from './decide.ts';
import type { Holding, LinkRef } from './mechanism.ts';

export interface Held extends Holding {
  mechanism: SystemDnsMechanism;
}

export interface Step {
  mechanism: SystemDnsMechanism;
  link: LinkRef | null;
  /** somebody has changed there what we told */
  changedByOthers: boolean;
}

export interface Plan {
  /** before anything is taken: two mechanisms are not to hold each other's words for what was before */
  giveBack: Held[];
  take: Step[];
}

export function planOf(held: readonly Held[], decided: Exclude<Decision, { kind: 'wait' }>): Plan {
  // A machine without a link is to find its next one led to us, after a boot as well.
  if (decided.kind === 'give-back')
    return {
      giveBack: held.filter(({ overBoot }) => overBoot !== true || decided.why !== 'no-link'),
      take: [],
    };
  const { mechanism, links, servers } = decided;
  const heldFor = (link: LinkRef | null) =>
    held.find((one) => one.mechanism === mechanism && isDeepStrictEqual(one.link, link));
  return {
    giveBack: held.filter(
      (one) =>
        !links.some((link) => heldFor(link) === one) &&
        !(one.overBoot === true && one.mechanism === mechanism),
    ),
    take: links
      .map((link) => ({ mechanism, link, there: heldFor(link) }))
      .filter(({ there }) => !(there && stands(there) && isDeepStrictEqual(there.servers, servers)))
      .map(({ there, ...step }) => ({
        ...step,
        changedByOthers: there !== undefined && !stands(there),
      })),
  };
}

/** As far as anybody knows. */
export function stands({ inPlace }: Holding): boolean {
  return inPlace !== false;
}
