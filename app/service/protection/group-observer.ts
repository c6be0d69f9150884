/** Reads the engine's status group by group, and remembers what a single status does not show. */

import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { isPrivate, type UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { list } from '../base/one-or-many.ts';
import type { EngineStatus, EngineUpstreamStatus } from '../engine/boundary.ts';
import { neverUsed } from '../engine/never-used.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { dialsUnderWay, findPath, isTrying, reach, sinceArrival } from './group-path.ts';
import type { GroupFacts } from './group-transition.ts';
import { type GroupRules, whoSet } from './policy-in-force.ts';

export interface GroupObserver {
  groups(
    effective: EffectiveSettings,
    rules: readonly GroupRules[],
    engine: EngineStatus,
  ): Omit<GroupFacts, 'request'>[];
  /** Remembers since when connections of a group fail: `groups` uses what was noticed last. */
  notice(effective: EffectiveSettings, rules: readonly GroupRules[], engine: EngineStatus): void;
  /** The result of a test connection; null: it succeeded. */
  probed(upstreamId: string, error: EngineUpstreamStatus['lastError']): void;
  /** Connections were abandoned, so what was known of paths belongs to another time or place. */
  forget(engine: EngineStatus): void;
  /** The same, once the engine is on the new network: a dial under way is the first one here. */
  arrived(engine: EngineStatus): void;
}

interface ObserverParts {
  network: Pick<CurrentNetwork, 'leadsTo'>;
  labelOf(upstreamId: string, effective: EffectiveSettings): string;
  now(): number;
}

export function createGroupObserver({ network, labelOf, now }: ObserverParts): GroupObserver {
  const dialsBefore = new Map<string, number>();
  const probeErrors = new Map<string, EngineUpstreamStatus['lastError']>();
  const tryingSince = new Map<string, number>();

  function forget(dials: [string, number][]): void {
    probeErrors.clear();
    tryingSince.clear();
    dialsBefore.clear();
    for (const [id, before] of dials) dialsBefore.set(id, before);
  }

  /** As the groups see it: observations from before we came to this network do not count. */
  function seenNow(upstream: EngineUpstreamStatus): EngineUpstreamStatus {
    const before = dialsBefore.get(upstream.id);
    const seen = before === undefined ? upstream : sinceArrival(upstream, before);
    const lastError = probeErrors.get(upstream.id);
    return lastError && reach(seen) === 'trying' ? { ...seen, lastError } : seen;
  }

  return {
    notice(effective, allRules, engine) {
      for (const { id } of allRules) {
        const upstreams = upstreamsOf(settingsOf(id, effective), engine).map(seenNow);
        if (!isTrying(upstreams)) tryingSince.delete(id);
        else if (!tryingSince.has(id)) tryingSince.set(id, now());
      }
    },

    groups(effective, allRules, engine) {
      return allRules.map((rules) => {
        const settings = settingsOf(rules.id, effective);
        const upstreams = upstreamsOf(settings, engine).map(seenNow);
        const path = findPath({
          upstreams,
          offline: isOffline(settings, network),
          holding: rules.policy === 'fallback' && engine.holding > 0,
          tryingSince: tryingSince.get(rules.id) ?? null,
          now: now(),
          labelOf: (id) => labelOf(id, effective),
        });
        return { rules, path, chosenClear: chosenClear(rules, settings, effective) };
      });
    },

    probed(id, error) {
      probeErrors.set(id, error);
    },

    forget({ upstreams }) {
      forget(upstreams.map(({ id, dials }) => [id, dials]));
    },

    arrived({ upstreams }) {
      forget(upstreams.map((upstream) => [upstream.id, upstream.dials - dialsUnderWay(upstream)]));
    },
  };
}

function settingsOf(id: string, { settings }: EffectiveSettings): UpstreamSetting[] {
  return settings.upstreams.filter(({ group = '' }) => group === id);
}

function isOffline(
  settings: readonly UpstreamSetting[],
  network: Pick<CurrentNetwork, 'leadsTo'>,
): boolean {
  const addresses = settings.flatMap(({ address }) => list(address));
  const ips = addresses.flatMap((address) => parseSocketAddress(address)?.ip ?? []);
  return ips.length > 0 && !ips.some((ip) => network.leadsTo(ip));
}

/** All upstreams of the settings, in their order. The engine's list lacks those that it must not use. */
export function upstreamsOf(
  settings: readonly UpstreamSetting[],
  engine: Pick<EngineStatus, 'upstreams'>,
): EngineUpstreamStatus[] {
  return settings.map(
    ({ id, transport, group = '' }) =>
      engine.upstreams.find((upstream) => upstream.id === id) ?? {
        id,
        transport,
        group,
        ...neverUsed,
        lastError: isPrivate(transport)
          ? null
          : {
              code: 'not-permitted',
              text: 'it has no TLS, so it is used only when clear is allowed',
            },
      },
  );
}

/** One of our upstreams has proved its identity over this connection. */
export function isAuthenticated({ transport, state, tls }: EngineUpstreamStatus): boolean {
  return isPrivate(transport) && state === 'ready' && tls !== null;
}

/** An administrator who locks "refuse" has the last word, also on upstreams that another person chose. */
function chosenClear(
  { id: group, policy }: GroupRules,
  upstreams: readonly UpstreamSetting[],
  { settings, sources }: EffectiveSettings,
): GroupFacts['chosenClear'] {
  if (upstreams.length === 0 || upstreams.some(({ transport }) => isPrivate(transport)))
    return null;
  const ownPolicy = settings.groups[group]?.downgrade !== undefined;
  const { locked } = ownPolicy ? sources.groups : sources.downgrade;
  if (policy === 'refuse' && locked && sources.upstreams.layer !== 'policy') return null;
  const ids = upstreams.map(({ id }) => id).join(', ');
  const whose = group === '' ? '' : ` of the group ${group}`;
  return {
    reason: `every upstream${whose} is without TLS: ${ids}`,
    who: whoSet(sources.upstreams),
  };
}
