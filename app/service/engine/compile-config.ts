/** Settings and permissions to the engine's configuration. Pure; files have been read, addresses checked. */
import type { Settings } from '../../contract/settings.ts';
import {
  defaultPort,
  isPrivate,
  type UpstreamSetting,
  type UpstreamTransport,
} from '../../contract/upstream-settings.ts';
import { withPort } from '../network/ip-address.ts';
import { list } from '../settings/cross-field-checks.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';

export interface EngineConfig {
  listen: string[];
  mode: 'private' | { direct: { class: 'off' | 'paused'; servers: string[] } };
  network: string;
  upstreams: EngineUpstream[];
  bypass: { suffix: string; to: string[] }[];
  forwardSpecial: string[];
  allowPrivate: string[];
  cache: { entries: number; serveStale: boolean };
  leases: EngineLease[];
  /** whether the log keeps anything */
  events: boolean;
}

export interface EngineUpstream {
  id: string;
  transport: UpstreamTransport;
  addresses: string[];
  names: string[];
  pins: string[];
  /** PEM text; null for the operating system's roots */
  ca: string | null;
  starttls: 'compat' | 'draft';
}

export interface EngineLease {
  /** the ledger's id */
  entry: number;
  class: 'policy' | 'off' | 'paused' | 'bypass';
  /** the bypass suffix it was given for; null: any of its class */
  rule: string | null;
  /** unix milliseconds */
  until: number | null;
}

export interface ConfigSources {
  settings: Settings;
  /** PEM text by path */
  certificates: ReadonlyMap<string, string>;
  mode: EngineConfig['mode'];
  network: string;
  leases: readonly EngineLease[];
}

export function compileConfig(from: ConfigSources): EngineConfig {
  const { settings, certificates, mode, network, leases } = from;
  return {
    listen: settings.listen.map((address) => withPort(address, 53)),
    mode,
    network,
    upstreams: usableUpstreams(settings, leases).map((upstream) =>
      compileUpstream(upstream, certificates),
    ),
    bypass: settings.bypass.map(({ suffix, to }) => ({
      suffix: normalSuffix(suffix),
      to: to.map((address) => withPort(address, 53)),
    })),
    forwardSpecial: settings.forwardSpecial.map(normalSuffix),
    allowPrivate: settings.allowPrivate.map(normalSuffix),
    cache: settings.cache,
    leases: [...leases],
    events: settings.queryLog.mode !== 'off',
  };
}

/** Beside a private upstream the clear ones are rungs of a ladder that "refuse" never descends: they need a lease. */
function usableUpstreams(
  { upstreams }: Settings,
  leases: readonly EngineLease[],
): readonly UpstreamSetting[] {
  if (leases.some((lease) => lease.class === 'policy')) return upstreams;
  return upstreams.filter(({ transport }) => isPrivate(transport));
}

export function hasOnlyClearUpstreams({ upstreams }: Pick<Settings, 'upstreams'>): boolean {
  return upstreams.every(({ transport }) => !isPrivate(transport));
}

export function compileUpstream(
  upstream: UpstreamSetting,
  certificates: ReadonlyMap<string, string>,
): EngineUpstream {
  const { id, transport, address, name = [], pins = [], ca, starttls = 'compat' } = upstream;
  const pem = ca === undefined ? null : certificates.get(ca);
  if (pem === undefined) throw new TypeError(`the certificates of ${ca} were not read`);
  return {
    id,
    transport,
    addresses: list(address).map((one) => withPort(one, defaultPort(transport))),
    names: list(name).map((one) => one.toLowerCase().replace(/\.$/, '')),
    pins: pins.map((pin) => pin.replace(/^sha256\//, '')),
    ca: pem,
    starttls,
  };
}
