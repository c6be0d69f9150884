/** The contract's methods, each in terms of the parts that do the work. */
import type { CacheEntry } from '../../contract/cache-entry.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { QueryEvent } from '../../contract/query-event.ts';
import type { EffectiveSetting, ServiceHandlers } from '../../contract/service-api.ts';
import type { ServiceStats } from '../../contract/service-stats.ts';
import type { ServiceStatus } from '../../contract/service-status.ts';
import { settingDeclarations, settingKeys } from '../../contract/settings.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { Ledger } from '../protection/ledger.ts';
import { type Protection, pauseUntil, unknownUpstream } from '../protection/protection.ts';
import type { Switch } from '../protection/switch.ts';
import { type QueryLog, QueryLogError } from '../query-log/query-log.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { matchesName } from './name-pattern.ts';
import type { StatsFeed } from './stats-feed.ts';
import type { StatusFeed } from './status-feed.ts';

export interface HandlerParts {
  engine: EngineDriver;
  protection: Protection;
  ledger: Ledger;
  queryLog: QueryLog;
  feed: StatusFeed;
  statsFeed: StatsFeed;
  status(): ServiceStatus;
  stats(): Promise<ServiceStats>;
  now(): number;
  /** the person behind every connection, until peers are told apart */
  who: string;
}

export function createHandlers(parts: HandlerParts): ServiceHandlers {
  const { engine, protection, ledger, queryLog, feed, statsFeed, status, stats, now, who } = parts;
  const subscriptions = new Map<number, () => void>();
  let lastSubscription = 0;

  async function turn(position: Switch): Promise<Result<ServiceStatus>> {
    const turned = await protection.turn(position);
    return turned.ok ? succeed(status()) : turned;
  }

  return {
    'status.get': () => succeed(status()),
    'status.follow': (_params, session) => {
      session.onClose(feed.follow((changed) => session.notify('status.changed', changed)));
      return succeed(status());
    },

    'protection.on': () => turn({ protection: 'on', since: now(), who }),
    'protection.off': () => turn({ protection: 'off', since: now(), who, until: null }),
    'protection.pause': (request) => turn(pauseUntil(request, now(), who)),

    'log.query': (filter) => fromLog(async () => ({ events: await queryLog.query(filter) })),
    'log.clear': () =>
      fromLog(async () => {
        await queryLog.clear();
        return {};
      }),
    'log.follow': (filter, session) => {
      const subscription = ++lastSubscription;
      const end = queryLog.follow((all) => {
        const events = all.filter((event) => isWanted(event, filter));
        if (events.length > 0) session.notify('log.events', { subscription, events });
      });
      const endOnce = () => {
        if (subscriptions.delete(subscription)) end();
      };
      subscriptions.set(subscription, endOnce);
      session.onClose(endOnce);
      return succeed({ subscription });
    },
    'log.unfollow': ({ subscription }) => {
      const end = subscriptions.get(subscription);
      if (end === undefined)
        return fail(
          'unknown-subscription',
          `there is no subscription ${subscription}`,
          'use the number "log.follow" gave',
          'subscription',
        );
      end();
      return succeed({});
    },

    'upstream.list': () => succeed({ upstreams: status().upstreams }),
    'upstream.test': async ({ id }) => {
      const { upstreams } = protection.inForce().settings;
      if (!upstreams.some((upstream) => upstream.id === id)) return unknownUpstream(id);
      return await engine.test(id);
    },

    'query.ask': async ({ name, type }) => {
      const asked = await engine.ask(name, type);
      if (!asked.ok) return asked;
      return succeed({ event: queryLog.decode(asked.value.event), reply: asked.value.reply });
    },

    'settings.effective': () => succeed({ settings: describeSettings(protection.inForce()) }),
    'ledger.list': ({ limit }) => succeed({ entries: ledger.list(limit) }),

    'cache.stats': () => succeed(status().cache),
    'cache.show': ({ name, type }) => {
      const found = engine.showCache(name);
      if (!found.ok) return found;
      return succeed({ entries: found.value.filter((entry) => answersType(entry, type)) });
    },
    'cache.flush': (filter) => {
      const removed = engine.flushCache(filter);
      return removed.ok ? succeed({ removed: removed.value }) : removed;
    },

    'stats.get': async () => succeed(await stats()),
    'stats.follow': async (_params, session) => {
      session.onClose(statsFeed.follow((changed) => session.notify('stats.changed', changed)));
      return succeed(await stats());
    },
  };
}

async function fromLog<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return succeed(await work());
  } catch (error) {
    if (error instanceof QueryLogError) return { ok: false, failure: error.failure };
    throw error;
  }
}

/** That a name does not exist answers for every type (RFC 2308, section 5). */
function answersType({ type, rcode }: CacheEntry, wanted: string | undefined): boolean {
  return wanted === undefined || type === wanted.toUpperCase() || rcode === 'NXDOMAIN';
}

function isWanted(
  event: QueryEvent,
  { name, outcome }: { name?: string | undefined; outcome?: QueryEvent['outcome'] | undefined },
): boolean {
  if (outcome !== undefined && event.outcome !== outcome) return false;
  return name === undefined || matchesName(name, event.name);
}

function describeSettings({ values, sources }: EffectiveSettings): EffectiveSetting[] {
  return settingKeys.map((key) => {
    const { label, help, unit } = settingDeclarations[key];
    const { layer, file, locked, lockedBy, reason } = sources[key];
    const value = values[key] as EffectiveSetting['value'];
    return { key, value, label, help, unit, source: { layer, file }, locked, lockedBy, reason };
  });
}
