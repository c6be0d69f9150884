/** Settings and permissions to the engine's configuration. Pure; files have been read, addresses checked. */

import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import {
  defaultPort,
  firstHopsOf,
  isPrivate,
  networkCarries,
  parseNamedAddress,
  proxyAddress,
  type UpstreamSetting,
  upstreamNamed,
} from '../../contract/settings/upstream-settings.ts';
import { list } from '../base/one-or-many.ts';
import type { Identities } from '../identities/identity-store.ts';
import { withPort } from '../network/ip-address.ts';
import type { HereRule } from '../rules/rules-here.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';
import type {
  EngineConfig,
  EngineConnections,
  EngineEncDns,
  EngineGroup,
  EngineIdentity,
  EngineLease,
  EngineUpstream,
  EngineWhen,
} from './boundary.ts';

export interface ConfigSources {
  settings: Settings;
  /** PEM text by path */
  certificates: ReadonlyMap<string, string>;
  /** client identities by name */
  identities: Identities;
  /** ids of upstreams to which no rung in cleartext leads */
  notInCleartext: ReadonlySet<string>;
  mode: EngineConfig['mode'];
  network: string;
  networkChanges: number;
  leases: readonly EngineLease[];
  rules: readonly (Pick<HereRule, 'rule' | 'names' | 'list' | 'to' | 'class'> & {
    when: EngineWhen | null;
  })[];
  refuseFor: readonly EngineWhen[];
  groups: readonly EngineGroup[];
  forwarders: readonly string[];
  networkResolvers: readonly string[];
  /** the machine runs on its battery */
  onBattery: boolean;
  portal: { resolvers: readonly string[]; probes: readonly string[] } | null;
}

export function compileConfig(from: ConfigSources): EngineConfig {
  const { settings, mode, network, networkChanges, leases, groups, portal } = from;
  const toNetwork = groups.some((group) => group.rungs.includes('network'));
  return {
    listen: settings.listen.map((address) => withPort(address, 53)),
    mode,
    network,
    networkChanges,
    upstreams: usableUpstreams(settings, leases, groups).map((upstream) => ({
      ...compileUpstream(upstream, { ...from, ...upstreamsOf(settings) }),
      ...(from.notInCleartext.has(upstream.id) ? { clearPort: null } : {}),
    })),
    groups: [...groups],
    networkResolvers: toNetwork ? [...from.networkResolvers] : [],
    knownPrivate: [],
    bypass: from.rules.map(({ rule, names, list, to, class: clearClass, when }) => ({
      rule,
      ...names,
      ...(list === null ? {} : { list: { names: list.names, after: list.after } }),
      to,
      class: clearClass,
      when,
    })),
    refuseFor: [...from.refuseFor],
    forwarders: [...from.forwarders],
    forwardSpecial: settings.forwardSpecial.map(normalSuffix),
    allowPrivate: settings.allowPrivate.map(normalSuffix),
    cache: compileCache(settings),
    portal: {
      resolvers: [...(portal?.resolvers ?? [])],
      probes: (portal?.probes ?? []).map(normalSuffix),
    },
    connections: compileConnections(settings, from.onBattery),
    leases: [...leases],
    events: settings.queryLog.mode !== 'off',
    programs: settings.queryLog.programs,
    audit: settings.audit.connections,
  };
}

function compileCache({ cache: { serveStale, ...cache } }: Settings): EngineConfig['cache'] {
  return { ...cache, serveStale: serveStale !== false, staleAtOnce: serveStale === 'at-once' };
}

function compileConnections({ connections }: Settings, onBattery: boolean): EngineConnections {
  const { keepWarm, dialsPerHour, fastOpen, ticketHours } = connections;
  return {
    keepWarm,
    dialsPerHour,
    spareBattery: onBattery && !connections.keepWarmOnBattery,
    fastOpen,
    ticketHours,
  };
}

/**
 * Beside a private upstream of its group a clear one is a rung of the ladder: it needs a lease. Those of a group that is for another
 * network or time are not asked, and those that carry the boxes of others are asked for nothing else.
 */
function usableUpstreams(
  { upstreams }: Settings,
  leases: readonly EngineLease[],
  groups: readonly EngineGroup[],
): readonly UpstreamSetting[] {
  const leased = new Set(
    leases.flatMap(({ class: of, rule, group }) =>
      of === 'policy' && rule === null ? [group] : [],
    ),
  );
  const inForce = new Set(['', ...groups.map(({ id }) => id)]);
  const firstHops = firstHopsOf(upstreams);
  return upstreams.filter(
    ({ id, transport, group = '' }) =>
      !firstHops.has(id) && inForce.has(group) && (isPrivate(transport) || leased.has(group)),
  );
}

export type UpstreamSources = Pick<
  ConfigSources,
  'certificates' | 'identities' | 'networkResolvers'
> & {
  /** all of them: one may carry the boxes of another */
  upstreams: readonly UpstreamSetting[];
  postQuantum: EngineUpstream['postQuantum'];
};

export function upstreamsOf({
  upstreams,
  connections: { postQuantum },
}: Settings): Pick<UpstreamSources, 'upstreams' | 'postQuantum'> {
  return { upstreams, postQuantum };
}

export function compileUpstream(upstream: UpstreamSetting, from: UpstreamSources): EngineUpstream {
  const { certificates, identities } = from;
  const { id, transport, address, name = [], pins = [], ca, starttls = 'compat' } = upstream;
  const { group = '', alternative, earlyData = false, proxy, identity } = upstream;
  const { certificatePins = [] } = upstream;
  const pem = ca === undefined ? null : certificates.get(ca);
  if (pem === undefined) throw new TypeError(`the certificates of ${ca} were not read`);
  return {
    id,
    transport,
    addresses:
      transport === 'encdns'
        ? []
        : list(address).map((one) => placeWithPort(one, defaultPort(transport))),
    proxy: proxy === undefined ? null : withPort(proxyAddress(proxy), 1080),
    names: list(name).map((one) => one.toLowerCase().replace(/\.$/, '')),
    pins: pins.map((pin) => pin.replace(/^sha256\//, '')),
    certificatePins,
    ca: pem,
    identity: identity === undefined ? null : engineIdentity(identity, identities),
    starttls,
    group,
    clearPort: clearPortOf(upstream),
    ...(alternative === undefined
      ? {}
      : { alternative: alternative === false ? null : alternative }),
    earlyData,
    postQuantum: from.postQuantum,
    encdns: transport === 'encdns' ? compileEncdns(upstream, from) : null,
  };
}

/** Settings without zone or key are not valid. */
function compileEncdns(upstream: UpstreamSetting, from: UpstreamSources): EngineEncDns {
  const { zone = '', key = '', keys = 'session' } = upstream;
  return { zone: normalSuffix(zone), key, keys, firstHop: firstHopOf(upstream, from) };
}

/** A plain resolver unless it is another upstream: the names in it are boxes. */
function firstHopOf({ id, address }: UpstreamSetting, from: UpstreamSources): EngineUpstream {
  const [first = ''] = list(address);
  const other = from.upstreams.find((one) => one.id === upstreamNamed(first));
  if (other !== undefined) return compileUpstream(other, from);
  const addresses = first === networkCarries ? [...from.networkResolvers] : list(address);
  return compileUpstream({ id, transport: 'udp', address: [...addresses] }, from);
}

/** One that is not here is passed on, too: the upstream is then not asked at all. */
function engineIdentity(name: string, identities: Identities): EngineIdentity {
  const { pem = null, trouble = null } = identities.get(name) ?? {};
  return { name, pem, trouble: trouble ?? '' };
}

function placeWithPort(text: string, port: number): string {
  const named = parseSocketAddress(text) === null ? parseNamedAddress(text) : null;
  return named === null ? withPort(text, port) : `${named.name}:${named.port ?? port}`;
}

/** The port on which the same server speaks DNS: that of STARTTLS, wherever it was put. */
function clearPortOf({ transport, address, alternative }: UpstreamSetting): number {
  const [first = ''] = list(address);
  const port = transport === 'tdns' ? parseSocketAddress(first)?.port : alternative;
  return port || defaultPort('tdns');
}
