/** One query to each upstream of its group, how their responses differ, and whether they contradict each other. */
import { isDeepStrictEqual } from 'node:util';
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { ResponseOfOne } from '../../contract/probing/ask-each.ts';
import { withWords } from '../../contract/probing/comparison.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { compare, type Responded } from './disagreement.ts';

export interface Query {
  name: string;
  type: string;
}

/** Ids of the upstreams that may get it, in order of preference. */
export function whomToAsk(
  engine: Pick<EngineDriver, 'explain'>,
  { name, type }: Query,
): Result<string[]> {
  const explained = engine.explain(name, type);
  if (!explained.ok) return explained;
  const { verdict, rule, servers } = explained.value;
  if (verdict === 'forward' && servers.length > 0) return succeed(servers);
  const why = {
    forward: 'there is no upstream to ask',
    local: `names under ${rule} are answered on this machine`,
    bypass: `the bypass rule for ${rule} sends it to other resolvers`,
    direct: 'Sotto is off or paused',
    portal: 'it was allowed to go in cleartext, for a login',
  }[verdict];
  return fail(
    'bad-query',
    `${name} is not put to the upstreams: ${why}`,
    'see what would happen to it: sotto rule explain NAME',
    'name',
  );
}

export async function askEach(
  engine: Pick<EngineDriver, 'askUpstream'>,
  query: Query,
  upstreams: readonly string[],
  tell: (answer: ResponseOfOne) => void,
): Promise<void> {
  let first: DnsMessage | null = null;
  const responded: Responded[] = [];
  await Promise.all(
    upstreams.map(async (upstream) => {
      const asked = await engine.askUpstream(upstream, query.name, query.type);
      const answer = asked.ok ? asked.value : silent(asked.failure.message);
      first ??= answer.response;
      const differs =
        answer.response === null || first === null ? [] : differences(first, answer.response);
      responded.push({ upstream, response: answer.response });
      const comparison =
        responded.length === upstreams.length ? withWords(compare(responded)) : null;
      tell({ upstream, ...answer, differs, comparison });
    }),
  );
}

function silent(text: string): Omit<ResponseOfOne, 'upstream' | 'differs' | 'comparison'> {
  const times = { connectMs: 0, waitMs: 0, roundTrips: 0 };
  return {
    transport: null,
    cost: 'none',
    ...times,
    response: null,
    error: { code: 'not-asked', text },
  };
}

/** As text; lifetimes, order and letter case are no difference. */
export function differences(one: DnsMessage, other: DnsMessage): string[] {
  const said: string[] = [];
  if (one.rcode !== other.rcode) said.push(`${other.rcode} instead of ${one.rcode}`);
  const [before, after] = [recordsOf(one), recordsOf(other)];
  if (isDeepStrictEqual(before, after)) return said;
  const missing = before.filter((record) => !after.includes(record));
  const more = after.filter((record) => !before.includes(record));
  if (missing.length > 0) said.push(`without ${missing.join(', ')}`);
  if (more.length > 0) said.push(`with ${more.join(', ')}`);
  return said;
}

function recordsOf({ answer }: DnsMessage): string[] {
  return answer
    .filter(({ type }) => type !== 'RRSIG')
    .map(({ type, data }) => `${type} ${type === 'CNAME' ? data.toLowerCase() : data}`)
    .sort();
}
