/**
 * How fast upstreams and resolvers of the catalogue respond from here, asked for the root. Upstreams are asked over their own
 * connections, resolvers over fresh, authenticated ones. Where upstreams are behind a proxy, so is what is measured: it is there
 * to hide this machine from resolvers.
 */

import { comparedQueries } from '../../contract/bounds.ts';
import type { PostQuantum } from '../../contract/engine-words.ts';
import type {
  MeasuredResolver,
  MeasuredUpstream,
} from '../../contract/settings/upstream-methods.ts';
import {
  defaultPort,
  isPrivate,
  proxyAddress,
  type UpstreamSetting,
} from '../../contract/settings/upstream-settings.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { withPort } from '../network/ip-address.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';

const timeoutMs = 4000;
/** A proxy is a path of its own, often a long one. */
const patienceBehindProxy = 3;

/** It carries no user's name (like the test of an upstream). */
const query = { name: '.', type: 'NS' };

/** Its own upstream's, where it is one; else the first that any upstream has. Pure. */
export function proxyFor(
  { names }: Pick<Resolver, 'names'>,
  upstreams: readonly UpstreamSetting[],
): string | undefined {
  const own = upstreams.find(({ name = [] }) =>
    [name].flat().some((one) => names.includes(one.toLowerCase())),
  );
  const found = own ?? upstreams.find(({ proxy }) => proxy !== undefined);
  return found?.proxy === undefined ? undefined : withPort(proxyAddress(found.proxy), 1080);
}

export async function measureUpstream(
  engine: Pick<EngineDriver, 'askUpstream'>,
  upstream: string,
): Promise<MeasuredUpstream> {
  const times: number[] = [];
  while (times.length < comparedQueries) {
    const asked = await engine.askUpstream(upstream, query.name, query.type);
    if (!asked.ok) {
      const { code, message } = asked.failure;
      return { upstream, responseMs: null, error: { code, text: message } };
    }
    const { response, waitMs, error } = asked.value;
    if (response === null) return { upstream, responseMs: null, error };
    times.push(waitMs);
  }
  return { upstream, responseMs: median(times), error: null };
}

interface Way {
  /** ip:port; undefined: none */
  proxy: string | undefined;
  postQuantum: PostQuantum;
}

/** As often as wanted, until one fails; the last one's facts with the median of all times. */
export async function measureResolver(
  engine: Pick<EngineDriver, 'probe'>,
  resolver: Resolver,
  way: Way,
  queries: number,
): Promise<MeasuredResolver> {
  let last = await probeResolver(engine, resolver, way);
  const all = [last];
  while (last.ok && all.length < queries) {
    last = await probeResolver(engine, resolver, way);
    all.push(last);
  }
  if (!last.ok) return last;
  const known = (of: 'responseMs' | 'handshakeMs') => median(all.flatMap((one) => one[of] ?? []));
  return { ...last, responseMs: known('responseMs'), handshakeMs: known('handshakeMs') };
}

/** null of none */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

/** Its addresses in order, until one answers. */
async function probeResolver(
  engine: Pick<EngineDriver, 'probe'>,
  { id, transport, addresses, names }: Resolver,
  { proxy, postQuantum }: Way,
): Promise<MeasuredResolver> {
  const nothing = {
    resolver: id,
    ok: false,
    address: null,
    responseMs: null,
    handshakeMs: null,
    tls: null,
  };
  if (!isPrivate(transport))
    return {
      ...nothing,
      error: { code: 'not-permitted', message: `${transport} is in cleartext` },
    };
  const probed = await engine.probe(query, {
    ...{ transport, addresses: addresses.map((ip) => withPort(ip, defaultPort(transport))), names },
    postQuantum,
    ...(proxy === undefined
      ? { timeoutMs }
      : { proxy, timeoutMs: timeoutMs * patienceBehindProxy }),
  });
  if (!probed.ok) {
    const { code, message } = probed.failure;
    return { ...nothing, error: { code, message } };
  }
  const { ok, address, tried, steps, tls, error } = probed.value;
  const time = (step: (typeof steps)[number]['step']) =>
    steps.find((one) => one.step === step)?.at ?? null;
  const [asked, answered] = [time('query'), time('response')];
  return {
    resolver: id,
    ok,
    address,
    tried,
    responseMs: asked === null || answered === null ? null : answered - asked,
    handshakeMs: asked,
    tls,
    error,
  };
}
