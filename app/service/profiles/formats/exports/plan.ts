/**
 * Which upstreams another program can reach as safely as Sotto does, and what of the rest it can't express. Each writer writes
 * only what is left here. Pure.
 */
import { isIPv4, isIPv6, parseSocketAddress } from '../../../../contract/dns/socket-address.ts';
import type { GroupSetting } from '../../../../contract/settings/downgrade-policy.ts';
import type { FlatSettings, SettingKey } from '../../../../contract/settings/settings.ts';
import {
  defaultPort,
  isPrivate,
  type UpstreamSetting,
} from '../../../../contract/settings/upstream-settings.ts';
import { defaultUpstreams, type Resolver } from '../../../settings/resolver-catalogue.ts';
import { type Finding, type Looser, left, looser } from '../finding.ts';
import type { ExportSource, Stated } from './export-source.ts';

/** What a program can do. */
export interface Program {
  name: string;
  /** another port than that of its transport */
  ports: boolean;
  /** of keys */
  pins: boolean;
  certificatePins: boolean;
  /** a certificate for the address alone */
  byAddress: boolean;
  /** certificate authorities beside those of the system, for all upstreams together */
  authorities: boolean;
  groups: boolean;
  /** to go on without authenticated TLS where there is none */
  opportunistic: boolean;
  /** settings that its writer takes account of or tells, beside upstreams, groups and downgrade */
  says: readonly SettingKey[];
}

export interface Reached {
  id: string;
  /** empty: it answers for every name without a group */
  group: string;
  /** what the certificate must carry; null: the address, or a pin */
  name: string | null;
  pins: readonly string[];
  certificatePins: readonly string[];
  /** a PEM file; null: the system's authorities */
  ca: string | null;
  places: readonly Place[];
}

export interface Place {
  ip: string;
  port: number;
}

export interface PlanOptions {
  catalogue: readonly Resolver[];
  allowed: ReadonlySet<Looser>;
  /** host of an address by HTTPS; null: the upstreams are reached by TLS */
  host: string | null;
}

export interface Plan {
  upstreams: readonly Reached[];
  groups: Readonly<Record<string, GroupSetting>>;
  opportunistic: boolean;
  findings: Finding[];
}

export function planExport(source: ExportSource, program: Program, options: PlanOptions): Plan {
  const findings = [...statements(source, program)];
  const { values } = source;
  const groups = expressibleGroups(values, program, findings);
  const all = values.upstreams.length > 0 ? values.upstreams : defaultUpstreams(options.catalogue);
  const named = options.host === null ? all : all.filter(carries(options.host));
  const upstreams = named.flatMap((upstream) => {
    const read = reach(upstream, program, options.host !== null);
    findings.push(...read.findings);
    const { reached } = read;
    return reached === null || !isWanted(reached, groups) ? [] : [reached];
  });
  const kept = withOneAuthority(upstreams, program, findings);
  return {
    upstreams: kept,
    groups: answered(groups, kept, findings),
    opportunistic: mayFallBack(values, program, options, findings),
    findings,
  };
}

/** The names of a group without an upstream would go to the others. */
function answered(groups: Plan['groups'], upstreams: readonly Reached[], findings: Finding[]) {
  const entries = Object.entries(groups).filter(([id, { names }]) => {
    if (upstreams.some(({ group }) => group === id)) return true;
    findings.push(
      looser(
        `groups.${id}`,
        'groups',
        `none of its upstreams is left: ${names.join(', ')} would go to the other ones`,
      ),
    );
    return false;
  });
  return Object.fromEntries(entries);
}

function isWanted({ group }: Reached, groups: Plan['groups']): boolean {
  return group === '' || Object.hasOwn(groups, group);
}

function carries(host: string): (upstream: UpstreamSetting) => boolean {
  return ({ name = [], group }) =>
    group === undefined && [name].flat().some((one) => one.toLowerCase() === host.toLowerCase());
}

/** What is said in the profile and has no place in the file. */
function* statements(source: ExportSource, program: Program): Generator<Finding> {
  const dealtWith: ReadonlySet<SettingKey> = new Set([
    'upstreams',
    'groups',
    'downgrade',
    ...program.says,
  ]);
  for (const one of source.stated) {
    if (!dealtWith.has(one.key))
      yield left(one.key, `${program.name} has nothing like it, so it is left out`);
    yield* conditionsOf(one);
  }
  for (const { field, value } of source.limits)
    yield left(
      field,
      `${value} is left out: the file holds on every machine that has it, at once and until it is removed`,
    );
  for (const { match, keys } of source.networks)
    yield left(
      `networks ${match}`,
      `what holds otherwise there is left out: ${keys.join(', ')}. The file says the same everywhere`,
    );
}

function* conditionsOf({ key, locked, until }: Stated): Generator<Finding> {
  if (locked) yield left(key, `its lock is left out: whoever may write the file may change it`);
  if (until !== null)
    yield left(
      key,
      `it ends at ${new Date(until).toISOString()}; the file goes on, so replace it then`,
    );
}

function expressibleGroups(values: FlatSettings, program: Program, findings: Finding[]) {
  const kept: Record<string, GroupSetting> = {};
  for (const [id, group] of Object.entries(values.groups)) {
    const about = `groups.${id}`;
    const names = group.names.join(', ');
    if (!program.groups)
      findings.push(
        looser(
          about,
          'groups',
          `${program.name} has no groups: ${names} would go to the other upstreams`,
        ),
      );
    else if (group.when !== undefined)
      findings.push(
        looser(
          about,
          'groups',
          `${program.name} has no conditions: ${names} would go to the other upstreams`,
        ),
      );
    else kept[id] = group;
    const { strategy, downgrade, rungs, consent } = group;
    if (program.groups && [strategy, downgrade, rungs, consent].some((one) => one !== undefined))
      findings.push(
        left(
          about,
          `what it says beside its names is left out: ${program.name} uses nothing but TLS for them`,
        ),
      );
  }
  return kept;
}

function mayFallBack(
  { downgrade, refuseFor }: FlatSettings,
  program: Program,
  { allowed }: PlanOptions,
  findings: Finding[],
): boolean {
  const wanted = allowed.has('opportunistic');
  if (downgrade === 'fallback' && program.opportunistic && refuseFor.length === 0 && wanted)
    return true;
  if (wanted)
    findings.push(
      left('--allow opportunistic', `it has no effect: ${whyStrict(program, downgrade)}`),
    );
  else if (downgrade !== 'refuse')
    findings.push(
      left('downgrade', `"${downgrade}" is left out: the file is for "refuse", which is stricter`),
    );
  return false;
}

function whyStrict(program: Program, downgrade: FlatSettings['downgrade']): string {
  if (!program.opportunistic) return `${program.name} is told to use nothing but authenticated TLS`;
  return downgrade === 'fallback'
    ? '"refuseFor" names queries that never leave unencrypted, and the file knows no such thing'
    : `"downgrade" is "${downgrade}"`;
}

interface ReachedOrNot {
  reached: Reached | null;
  findings: Finding[];
}

function reach(upstream: UpstreamSetting, program: Program, byHttps: boolean): ReachedOrNot {
  const about = `upstream ${upstream.id}`;
  const findings: Finding[] = [];
  const out = whyNot(upstream, program);
  if (out !== null) return { reached: null, findings: [left(about, `left out: ${out}`)] };
  const { places, without } = placesOf(upstream, program, byHttps);
  for (const reason of without) findings.push(left(about, reason));
  if (places.length === 0) return { reached: null, findings };
  findings.push(...trifles(upstream, program, byHttps));
  findings.push(...notCompared(upstream, program));
  const { id, group = '', ca = null, pins = [], certificatePins = [] } = upstream;
  const [first] = hostNames(upstream);
  const reached = {
    id,
    group,
    name: first ?? null,
    pins: program.pins ? pins.map((pin) => pin.replace(/^sha256\//, '')) : [],
    certificatePins: program.certificatePins ? certificatePins : [],
    ca,
    places,
  };
  return { reached, findings };
}

function notCompared(upstream: UpstreamSetting, program: Program): Finding[] {
  const kinds = [
    ['pins', 'public keys'],
    ['certificatePins', 'hashes of certificates'],
  ] as const;
  return kinds
    .filter(([kind]) => (upstream[kind] ?? []).length > 0 && !program[kind])
    .map(([, what]) =>
      looser(
        `upstream ${upstream.id}`,
        'pins',
        `${program.name} compares no ${what}: any authority that the system trusts could vouch for another server`,
      ),
    );
}

/** Null: it can be reached as safely. */
function whyNot(upstream: UpstreamSetting, program: Program): string | null {
  const { transport, proxy, ca } = upstream;
  if (transport === 'encdns') return `${program.name} does not speak EncDNS`;
  if (!isPrivate(transport))
    return `transport ${transport} is unencrypted, and the file is for TLS`;
  if (proxy !== undefined) return `${program.name} reaches no upstream through a proxy`;
  return whyNoAuthority(ca, program) ?? whyNotAuthenticated(upstream, program);
}

function whyNoAuthority(ca: string | undefined, program: Program): string | null {
  if (ca === undefined) return null;
  if (!program.authorities)
    return `${program.name} knows no certificate authorities for one upstream ("ca")`;
  return /^\/[\w./@+-]+$/.test(ca)
    ? null
    : '"ca" is no absolute path of plain characters, so the other machine would not find it';
}

function whyNotAuthenticated(upstream: UpstreamSetting, { name, ...can }: Program): string | null {
  if (hostNames(upstream).length > 0) return null;
  if (upstream.name !== undefined) return `${name} is given host names, and "name" has none`;
  if ((upstream.pins ?? []).length > 0)
    return can.pins ? null : `it has pins alone, and ${name} compares none`;
  return can.byAddress ? null : `it has no name, and ${name} would accept any certificate`;
}

function hostNames({ name = [] }: UpstreamSetting): string[] {
  return [name]
    .flat()
    .filter((one) => !isIPv4(one) && !isIPv6(one))
    .map((one) => one.replace(/\.$/, ''));
}

export const dotPort = 853;

function placesOf(upstream: UpstreamSetting, program: Program, byHttps: boolean) {
  const without: string[] = [];
  const places = [upstream.address].flat().flatMap((text) => {
    const parsed = parseSocketAddress(text);
    if (parsed === null) return [];
    const port = byHttps ? dotPort : tlsPort(upstream, parsed.port);
    if (port === null) {
      without.push(`${text} is left out: it is reached by STARTTLS alone`);
      return [];
    }
    if (port !== dotPort && !program.ports) {
      without.push(`${text} is left out: ${program.name} knows port ${dotPort} alone`);
      return [];
    }
    return [{ ip: parsed.ip, port }];
  });
  return { places, without };
}

/** Where TLS begins at once; null: nowhere that is known. */
function tlsPort({ transport, alternative }: UpstreamSetting, given: number | null): number | null {
  const port = given ?? defaultPort(transport);
  if (transport === 'dot') return port;
  if (alternative !== undefined) return alternative === false ? null : alternative;
  return port === defaultPort('tdns') ? dotPort : null;
}

function trifles(
  upstream: UpstreamSetting,
  { name: program }: Program,
  byHttps: boolean,
): Finding[] {
  const about = `upstream ${upstream.id}`;
  const [first, ...others] = hostNames(upstream);
  return [
    ...(others.length > 0
      ? [
          left(
            about,
            `of its names ${program} compares ${first} alone, so it may refuse a certificate that Sotto accepts`,
          ),
        ]
      : []),
    ...(upstream.transport === 'tdns' && !byHttps
      ? [left(about, 'STARTTLS is left out: it is reached where TLS begins at once')]
      : []),
    ...(upstream.earlyData === true ? [left(about, '"earlyData" is left out')] : []),
  ];
}

/** Where the program trusts one set of authorities for all upstreams, that of the first one holds. */
function withOneAuthority(upstreams: Reached[], program: Program, findings: Finding[]): Reached[] {
  const [first] = upstreams;
  return upstreams.filter(({ id, ca }) => {
    if (ca === first?.ca) return true;
    findings.push(
      left(
        `upstream ${id}`,
        `left out: ${program.name} trusts the same authorities for every upstream, and it has others than ${first?.id}`,
      ),
    );
    return false;
  });
}
