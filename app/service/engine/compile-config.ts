/** Settings and permissions to the engine's configuration. Pure; files have been read, addresses checked. */

import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { Rung, Strategy } from '../../contract/settings/downgrade-policy.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import {
  defaultPort,
  isPrivate,
  parseNamedAddress,
  proxyAddress,
  type UpstreamSetting,
  type UpstreamTransport,
} from '../../contract/settings/upstream-settings.ts';
import { list } from '../base/one-or-many.ts';
import { withPort } from '../network/ip-address.ts';
import type { HereRule } from '../rules/rules-here.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';

export interface EngineConfig {
  listen: string[];
  mode: 'private' | { direct: { class: 'off' | 'paused'; servers: string[] } };
  network: string;
  /** of this machine, that were known when this was decided; leases rest in the engine while it knows of more. Absent: none */
  moves?: number;
  upstreams: EngineUpstream[];
  bypass: EngineBypass[];
  forwardSpecial: string[];
  allowPrivate: string[];
  cache: { entries: number; serveStale: boolean };
  connections: EngineConnections;
  leases: EngineLease[];
  /** the default group first; absent where it is the only one and has nothing but defaults */
  groups?: EngineGroup[];
  /** what a network that may want a login is asked; absent: nothing */
  portal?: { resolvers: string[]; probes: string[] };
  /** the network's own resolvers, ip:port; absent where no rung leads to them */
  networkResolvers?: string[];
  /** whether the log keeps anything */
  events: boolean;
  /** servers that proved themselves to a process before this one; only in the first configuration */
  knownPrivate?: string[];
}

/** docs/design/round-trips.md */
export interface EngineConnections {
  keepWarm: boolean;
  dialsPerHour: number;
  /** the machine runs on its battery, and keep-warm shall spare it */
  spareBattery: boolean;
  fastOpen: boolean;
  ticketHours: number;
}

export interface EngineBypass {
  /** as ledger, lease and log name it */
  rule: string;
  /** with everything below */
  below: string[];
  alone: string[];
  singleLabels: boolean;
  /** ip:port each; none: nobody knows them now */
  to: string[];
  class: 'bypass' | 'policy';
}

export interface EngineUpstream {
  id: string;
  transport: UpstreamTransport;
  /** in order of preference; names only behind a proxy */
  addresses: string[];
  /** SOCKS5, ip:port */
  proxy?: string;
  names: string[];
  pins: string[];
  /** PEM text; null for the operating system's roots */
  ca: string | null;
  starttls: 'compat' | 'draft';
  /** absent: the default group */
  group?: string;
  /** port of the other way to the same server; null: none; absent: the standard one, where it is on its own */
  alternative?: number | null;
  /** where the rungs in clear lead; absent: 53; null: nowhere */
  clearPort?: number | null;
  /** the question that opens a connection may leave with the TLS hello; absent: no */
  earlyData?: boolean;
}

export interface EngineGroup {
  /** empty: the default group */
  id: string;
  names: string[];
  strategy: Strategy;
  /** what a lease of the group may use, in the order of descent */
  rungs: Rung[];
  /** questions without a private path wait for the lease that is being written */
  hold: boolean;
}

export interface EngineLease {
  /** the ledger's id */
  entry: number;
  class: 'policy' | 'off' | 'paused' | 'bypass' | 'portal';
  /** the bypass rule, or the portal's site, that it was given for; null: none */
  rule: string | null;
  /** class policy: the group it is for; absent: the default group */
  group?: string;
  /** unix milliseconds */
  until: number | null;
}

export interface ConfigSources {
  settings: Settings;
  /** PEM text by path */
  certificates: ReadonlyMap<string, string>;
  /** ids of upstreams to which no rung in clear leads */
  notInClear: ReadonlySet<string>;
  mode: EngineConfig['mode'];
  network: string;
  moves: number;
  leases: readonly EngineLease[];
  rules: readonly Pick<HereRule, 'rule' | 'names' | 'to' | 'class'>[];
  groups: readonly EngineGroup[];
  networkResolvers: readonly string[];
  /** the machine runs on its battery */
  onBattery: boolean;
  portal: { resolvers: readonly string[]; probes: readonly string[] } | null;
}

export function compileConfig(from: ConfigSources): EngineConfig {
  const { settings, certificates, mode, network, moves, leases, groups } = from;
  const toNetwork = groups.some((group) => group.rungs.includes('network'));
  return {
    listen: settings.listen.map((address) => withPort(address, 53)),
    mode,
    network,
    ...(moves === 0 ? {} : { moves }),
    upstreams: usableUpstreams(settings, leases).map((upstream) => ({
      ...compileUpstream(upstream, certificates),
      ...(from.notInClear.has(upstream.id) ? { clearPort: null } : {}),
    })),
    bypass: from.rules.map(({ rule, names, to, class: clearClass }) => ({
      rule,
      ...names,
      to,
      class: clearClass,
    })),
    forwardSpecial: settings.forwardSpecial.map(normalSuffix),
    allowPrivate: settings.allowPrivate.map(normalSuffix),
    cache: settings.cache,
    connections: compileConnections(settings, from.onBattery),
    leases: [...leases],
    ...(groups.every(isPlainDefault) ? {} : { groups: [...groups] }),
    ...portalOf(from),
    ...(toNetwork ? { networkResolvers: [...from.networkResolvers] } : {}),
    events: settings.queryLog.mode !== 'off',
  };
}

function portalOf({ portal }: ConfigSources): Pick<EngineConfig, 'portal'> {
  if (portal === null) return {};
  return { portal: { resolvers: [...portal.resolvers], probes: portal.probes.map(normalSuffix) } };
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

function isPlainDefault({ id, strategy, rungs, hold }: EngineGroup): boolean {
  return id === '' && strategy === 'ordered' && rungs.length === 0 && !hold;
}

/** Beside a private upstream of its group a clear one is a rung of the ladder: it needs a lease. */
function usableUpstreams(
  { upstreams }: Settings,
  leases: readonly EngineLease[],
): readonly UpstreamSetting[] {
  const leased = new Set(
    leases.flatMap(({ class: of, rule, group = '' }) =>
      of === 'policy' && rule === null ? [group] : [],
    ),
  );
  return upstreams.filter(({ transport, group = '' }) => isPrivate(transport) || leased.has(group));
}

export function compileUpstream(
  upstream: UpstreamSetting,
  certificates: ReadonlyMap<string, string>,
): EngineUpstream {
  const { id, transport, address, name = [], pins = [], ca, starttls = 'compat' } = upstream;
  const { group, alternative, earlyData, proxy } = upstream;
  const pem = ca === undefined ? null : certificates.get(ca);
  if (pem === undefined) throw new TypeError(`the certificates of ${ca} were not read`);
  return {
    id,
    transport,
    addresses: list(address).map((one) => placeWithPort(one, defaultPort(transport))),
    ...(proxy === undefined ? {} : { proxy: withPort(proxyAddress(proxy), 1080) }),
    names: list(name).map((one) => one.toLowerCase().replace(/\.$/, '')),
    pins: pins.map((pin) => pin.replace(/^sha256\//, '')),
    ca: pem,
    starttls,
    ...(group === undefined ? {} : { group }),
    ...clearPortOf(upstream),
    ...(alternative === undefined
      ? {}
      : { alternative: alternative === false ? null : alternative }),
    ...(earlyData === true ? { earlyData } : {}),
  };
}

function placeWithPort(text: string, port: number): string {
  const named = parseSocketAddress(text) === null ? parseNamedAddress(text) : null;
  return named === null ? withPort(text, port) : `${named.name}:${named.port ?? port}`;
}

/** The port on which the same server speaks DNS: that of STARTTLS, wherever it was put. */
function clearPortOf({ transport, address, alternative }: UpstreamSetting): { clearPort?: number } {
  const [first = ''] = list(address);
  const port =
    transport === 'tdns'
      ? (parseSocketAddress(first)?.port ?? undefined)
      : alternative || undefined;
  return port === undefined || port === defaultPort('tdns') ? {} : { clearPort: port };
}
