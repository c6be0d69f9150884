/** Names whose responses rebinding protection refuses often, for clients that may read the query log; others do not see them. */
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import { say } from '../../contract/sentences/sentence.ts';
import type { Caller } from './caller.ts';
import { type Finding, warn } from './finding.ts';

/** What the engine calls the rule that refuses such answers (native/engine/src/policy/response_policy.rs). */
const rule = 'private address';
const dayMs = 24 * 60 * 60 * 1000;
/** Refused less often, a name may have been met by chance. */
const often = 5;
const mostNames = 10;
const pageRows = 1000;
const mostPages = 10;

export async function checkRebinding(service: Caller, now: number): Promise<Finding[]> {
  const events: QueryEvent[] = [];
  let beforeId: number | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const wanted = { outcome: 'refused' as const, since: now - dayMs, limit: pageRows, beforeId };
    const got = await service.call('log.query', wanted);
    if (!got.ok) break;
    events.push(...got.value.events);
    beforeId = got.value.events.at(-1)?.id;
    if (got.value.events.length < pageRows) break;
  }
  return judgeRebinding(events);
}

/** `events`: of a day. A query log that keeps no names has none to list. */
export function judgeRebinding(events: readonly QueryEvent[]): Finding[] {
  const counts = new Map<string, number>();
  for (const event of events)
    if (event.rule === rule && event.name !== '')
      counts.set(event.name, (counts.get(event.name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= often)
    .sort(([, one], [, other]) => other - one)
    .slice(0, mostNames)
    .map(([name, count]) =>
      warn('rebinding', say('rebinding-refused', { name, count }), say('allow-private'), name),
    );
}
