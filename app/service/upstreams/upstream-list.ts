/** The list of upstreams with one more, one less, or in another order. Pure; whether it may be so is the settings' to say. */

import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { hasEnded } from '../../contract/settings/has-ended.ts';
import type { NewUpstream } from '../../contract/settings/upstream-methods.ts';
import {
  isPrivate,
  networkCarries,
  type UpstreamSetting,
  upstreamNamed,
} from '../../contract/settings/upstream-settings.ts';
import { knownResolver, type Resolver } from '../settings/resolver-catalogue.ts';
import { type DnsStamp, parseDnsStamp } from './dns-stamp.ts';
import { isEncdnsUrl, parseEncdnsUrl } from './encdns-url.ts';

export interface ListChange {
  upstreams: UpstreamSetting[];
  /** the one it is about */
  upstream: UpstreamSetting;
  /** notes for the person who changed it */
  notes: string[];
}

type Upstreams = readonly UpstreamSetting[];

export function addUpstream(
  upstreams: Upstreams,
  wanted: NewUpstream,
  at: number | undefined,
  catalogue: readonly Resolver[],
  now: number,
): Result<ListChange> {
  const read = readNew(wanted, upstreams, catalogue, now);
  if (!read.ok) return read;
  const { upstream, notes } = read.value;
  const place = at ?? upstreams.length;
  if (place > upstreams.length) return noSuchPlace(upstreams.length + 1, 'at');
  const inCleartext = isPrivate(upstream.transport)
    ? []
    : [
        `${upstream.id} is asked in cleartext: beside a private upstream it is used only where the policy lets queries leave in cleartext.`,
      ];
  return succeed({
    upstreams: upstreams.toSpliced(place, 0, upstream),
    upstream,
    notes: [...notes, ...inCleartext],
  });
}

export function removeUpstream(upstreams: Upstreams, id: string): Result<ListChange> {
  const upstream = upstreams.find((one) => one.id === id);
  if (upstream === undefined) return unknown(id, upstreams);
  if (upstreams.length === 1)
    return fail(
      'params-invalid',
      `${id} is the only upstream, and without any the first of the catalogue would answer`,
      'add another one first',
      'id',
    );
  return succeed({ upstreams: upstreams.filter((one) => one !== upstream), upstream, notes: [] });
}

export function moveUpstream(upstreams: Upstreams, id: string, to: number): Result<ListChange> {
  const upstream = upstreams.find((one) => one.id === id);
  if (upstream === undefined) return unknown(id, upstreams);
  if (to >= upstreams.length) return noSuchPlace(upstreams.length, 'to');
  const others = upstreams.filter((one) => one !== upstream);
  return succeed({ upstreams: others.toSpliced(to, 0, upstream), upstream, notes: [] });
}

function noSuchPlace(last: number, field: string): Result<never> {
  return fail(
    'params-invalid',
    `the last place is number ${last}`,
    `give one from 1 to ${last}`,
    field,
  );
}

function readNew(
  wanted: NewUpstream,
  upstreams: Upstreams,
  catalogue: readonly Resolver[],
  now: number,
): Result<{ upstream: UpstreamSetting; notes: string[] }> {
  if ('resolver' in wanted) return fromCatalogue(wanted.resolver, upstreams, catalogue, now);
  if ('stamp' in wanted)
    return isEncdnsUrl(wanted.stamp)
      ? fromEncdnsUrl(wanted, upstreams)
      : fromStamp(wanted, upstreams, catalogue, now);
  const { id, ...server } = wanted;
  const given = id ?? freeId(suggestId(server.name, server.address), upstreams);
  return succeed({ upstream: { ...server, id: given } as UpstreamSetting, notes: [] });
}

function fromCatalogue(
  id: string,
  upstreams: Upstreams,
  catalogue: readonly Resolver[],
  now: number,
) {
  const resolver = catalogue.find((one) => one.id === id);
  if (resolver === undefined)
    return fail(
      'unknown-resolver',
      `the catalogue has no ${JSON.stringify(id)}`,
      `it has ${catalogue.map((one) => one.id).join(', ')}`,
      'resolver',
    );
  const { transport, addresses, names, retired } = resolver;
  if (retired !== null)
    return fail(
      'params-invalid',
      `${resolver.label} ${hasEnded(retired.on, now) ? 'ended' : 'ends'} on ${retired.on}, its operator says: ${retired.notice}`,
      'choose another: sotto upstream catalogue',
      'resolver',
    );
  const upstream: UpstreamSetting = {
    id: freeId(id, upstreams),
    transport,
    address: [...addresses],
    name: [...names],
  };
  return succeed({ upstream, notes: [] });
}

type ByStamp = Extract<NewUpstream, { stamp: string }>;

function fromStamp(
  { stamp: text, id, over, keys }: ByStamp,
  upstreams: Upstreams,
  catalogue: readonly Resolver[],
  now: number,
) {
  const stamp = parseDnsStamp(text);
  if (!stamp.ok) return stamp;
  if (over !== undefined || keys !== undefined)
    return fail(
      'params-invalid',
      'only boxes of EncDNS are carried by others',
      'leave it out',
      over === undefined ? 'keys' : 'over',
    );
  const { transport, name, certificatePins } = stamp.value;
  const address = addressOf(stamp.value, catalogue, now);
  if (address === null) return withoutAddress(name);
  const upstream: UpstreamSetting = {
    id: id ?? freeId(suggestId(name ?? undefined, address), upstreams),
    transport,
    address,
    ...(name === null ? {} : { name }),
    ...(certificatePins.length === 0 ? {} : { certificatePins }),
  };
  return succeed({ upstream, notes: [] });
}

/** Of a provider that the catalogue knows by its name, where the stamp has none. */
function addressOf(
  { address, name, port }: DnsStamp,
  catalogue: readonly Resolver[],
  now: number,
): string | string[] | null {
  if (address !== null) return address;
  const known = name === null ? undefined : knownResolver({ name }, catalogue);
  if (known === undefined || (known.retired !== null && hasEnded(known.retired.on, now)))
    return null;
  return known.addresses.map((one) =>
    formatSocketAddress(parseSocketAddress(one)?.ip ?? one, port),
  );
}

function withoutAddress(name: string | null): Result<never> {
  return fail(
    'bad-stamp',
    `the stamp has no IP address, and the catalogue has none for ${name}: Sotto looks up no names of servers`,
    'use a stamp with an address, or give both: sotto upstream add ADDRESS --name NAME',
    'stamp',
  );
}

/** Carried by the network's resolvers, unless others are named. */
function fromEncdnsUrl({ stamp, id, over = networkCarries, keys }: ByStamp, upstreams: Upstreams) {
  const server = parseEncdnsUrl(stamp);
  if (!server.ok) return server;
  const carrier = upstreamNamed([over].flat()[0] ?? '');
  const upstream: UpstreamSetting = {
    id: id ?? freeId(suggestId(server.value.zone, ''), upstreams),
    transport: 'encdns',
    address: over,
    ...server.value,
    ...(keys === undefined ? {} : { keys }),
  };
  const notes =
    carrier === null ? [] : [`${carrier} carries its boxes now, and is asked for nothing else.`];
  return succeed({ upstream, notes: [whatEncdnsHides, ...notes] });
}

const whatEncdnsHides =
  'EncDNS hides what is asked from the resolver that carries it, and who asks from the server that answers. It does not hide when and how much is asked, which queries are of one machine, or that EncDNS is used.';

/** "dns.quad9.net" to "dns.quad9.net", "[2001:db8::1]:853" to "2001-db8--1". */
function suggestId(name: string | undefined, address: string | readonly string[]): string {
  const ip = parseSocketAddress([address].flat()[0] ?? '')?.ip ?? 'upstream';
  const id = (name ?? ip).replace(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return id.slice(0, 60) || 'upstream';
}

function freeId(wanted: string, upstreams: Upstreams): string {
  const taken = new Set(upstreams.map(({ id }) => id));
  for (let number = 1; ; number++) {
    const id = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(id)) return id;
  }
}

function unknown(id: string, upstreams: Upstreams): Result<never> {
  return fail(
    'unknown-upstream',
    `no upstream is called ${JSON.stringify(id)}`,
    `there are ${upstreams.map((one) => one.id).join(', ')}`,
    'id',
  );
}
