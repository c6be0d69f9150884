/** The contract's methods, each as calls of the parts that do the work. */

import { arch, release, type } from 'node:os';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { probedThrough } from '../../contract/protection/own-probes.ts';
import type {
  ResultOf,
  Role,
  ServiceHandlers,
  ServiceSession,
} from '../../contract/service-api.ts';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import type { CacheEntry } from '../../contract/status/cache-entry.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import type { NetworkParams } from '../../contract/system/network.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Calls } from '../audit/calls.ts';
import { createAuditHandlers } from '../audit/open-audit.ts';
import type { NumberOf } from '../conditions/condition-here.ts';
import { createConnectionsHandlers } from '../connections/connections-handlers.ts';
import { createDoctorHandlers } from '../doctor/doctor-handlers.ts';
import type { Surroundings } from '../doctor/examine-service.ts';
import type { CacheFilter } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { composeReport } from '../health/compose-report.ts';
import { createIdentityHandlers } from '../identities/identity-handlers.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { Journal } from '../logging/journal.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { NetworkHandlers } from '../network/network-handlers.ts';
import { createPauseCodeHandlers } from '../pause-codes/pause-code-handlers.ts';
import type { PauseCodes } from '../pause-codes/pause-codes.ts';
import type { Portal } from '../portal/portal.ts';
import { createPortalHandlers } from '../portal/portal-handlers.ts';
import type { Profiles } from '../profiles/open-profiles.ts';
import { createExplicitHandlers } from '../protection/explicit-queries.ts';
import type { Ledger, LedgerFilter } from '../protection/ledger.ts';
import type { Protection } from '../protection/protection.ts';
import { pauseUntil, type Switch } from '../protection/switch.ts';
import type { LogHandlers } from '../query-log/log-handlers.ts';
import type { QueryLog } from '../query-log/query-log.ts';
import { createRuleHandlers } from '../rules/rule-handlers.ts';
import type { RulesNow } from '../rules/rules-now.ts';
import { describeSettings } from '../settings/describe-settings.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';
import type { SettingsEditor } from '../settings/settings-editor.ts';
import { createSettingsHandlers } from '../settings/settings-handlers.ts';
import { createSetupHandlers } from '../settings/setup-memory.ts';
import type { StatsFeed } from '../status/stats-feed.ts';
import type { StatusFeed } from '../status/status-feed.ts';
import type { Coverage } from '../system-dns/coverage/coverage.ts';
import { createFixHandlers } from '../system-dns/coverage/fix-handlers.ts';
import type { Fixes } from '../system-dns/coverage/fixes.ts';
import type { SystemDns } from '../system-dns/system-dns.ts';
import { createSystemDnsHandlers } from '../system-dns/system-dns-handlers.ts';
import type { CrossCheck } from '../upstreams/cross-check.ts';
import { createProbingHandlers } from '../upstreams/probing-handlers.ts';
import { testEachOnce } from '../upstreams/tests-under-way.ts';
import { createUpstreamHandlers } from '../upstreams/upstream-handlers.ts';
import type { Works } from '../works/works.ts';
import {
  refuseAnswer,
  refuseLooserNetwork,
  refuseRenaming,
  refuseSiteInCleartext,
  refuseSwitchingAway,
  refuseWithoutCode,
} from './loosening.ts';
import type { ServiceMode } from './peer-role.ts';
import { entriesSeenBy, entrySeenBy, statsSeenBy, statusSeenBy } from './seen-by.ts';

export interface HandlerParts {
  engine: EngineDriver;
  protection: Protection;
  portal: Portal;
  ledger: Ledger;
  queryLog: QueryLog;
  feed: StatusFeed;
  statsFeed: StatsFeed;
  status(): ServiceStatus;
  stats(): Promise<ServiceStats>;
  now(): number;
  network: NetworkHandlers;
  here: Pick<CurrentNetwork, 'stay' | 'label'>;
  systemDns: SystemDns;
  coverage: Coverage;
  fixes: Fixes;
  editor: SettingsEditor;
  profile: Profiles['handlers'];
  audit: Pick<AuditLog, 'read' | 'head'>;
  calls: Pick<Calls, 'hadNoEffect'>;
  pauseCodes: PauseCodes;
  setupFile: string;
  catalogue: readonly Resolver[];
  works: Works;
  crossCheck: Pick<CrossCheck, 'check'>;
  surroundings(): Surroundings;
  /** the label of an upstream, for people */
  labelOf(upstream: string): string;
  rules: RulesNow;
  identities: IdentityStore;
  numberOf: NumberOf;
  /** Resolves when the change is in force. */
  settle(): Promise<void>;
  mode: ServiceMode;
  /** The service ends, and gives the system's DNS back. */
  askStop(): void;
  log: LogHandlers;
  journal: Journal;
  /** the person behind a connection that names none */
  who: string;
}

export function createHandlers(parts: HandlerParts): ServiceHandlers {
  const { engine, protection, ledger, queryLog, feed, statsFeed, status, stats } = parts;
  const { network, log, now, editor, catalogue } = parts;

  function refuseLooser(
    reference: string | undefined,
    given: DowngradePolicy | null,
    { role }: ServiceSession,
  ): Result<never> | null {
    const shown = network.show({ network: reference });
    const remembered = shown.ok ? shown.value.network.policy : null;
    return refuseLooserNetwork({ remembered, given }, role, protection.inForce());
  }

  function refuseNetworkChange(
    { network: reference, policy, name }: NetworkParams<'set'>,
    session: ServiceSession,
  ): Result<never> | null {
    const elsewhere = refuseElsewhere(reference, session);
    if (elsewhere !== null) return elsewhere;
    const looser = policy === undefined ? null : refuseLooser(reference, policy, session);
    if (looser !== null) return looser;
    return name === undefined ? null : refuseRenaming(session.role, protection.inForce());
  }

  /** Only an administrator may know which networks are remembered. */
  function refuseElsewhere(
    reference: string | undefined,
    { role }: ServiceSession,
  ): Result<never> | null {
    if (role === 'administer' || reference === undefined) return null;
    const shown = network.show({ network: reference });
    if (shown.ok && shown.value.network.current) return null;
    return fail(
      'forbidden',
      `only an administrator may change another network than the one this machine is on; you have the role ${role}`,
      'leave the network out, or ask an administrator',
      'network',
    );
  }

  async function turnAway(position: Switch, role: Role): Promise<Result<ServiceStatus>> {
    const refused =
      refuseWithoutCode(position.protection, protection.inForce()) ??
      refuseSwitchingAway(role, position.protection, protection.inForce());
    if (refused === null) return await turn(position);
    const { protection: to, who } = position;
    parts.journal.note('switch-refused', { to, who, role });
    return refused;
  }

  async function turn(position: Switch): Promise<Result<ServiceStatus>> {
    const turned = await protection.turn(position);
    await parts.systemDns.settle();
    if (!turned.ok) return turned;
    const { protection: to, who } = position;
    if (turned.value) parts.journal.note('protection-switched', { to, who });
    else parts.calls.hadNoEffect();
    return succeed(status());
  }

  const isConfigured = (id: string) =>
    protection.inForce().settings.upstreams.some((upstream) => upstream.id === id);

  function listed(filter: LedgerFilter, { role }: ServiceSession): { entries: LedgerEntry[] } {
    protection.writeCounts();
    return { entries: entriesSeenBy(role, filter, (wanted) => ledger.list(wanted)) };
  }

  function told(asked: Awaited<ReturnType<EngineDriver['ask']>>): Result<ResultOf<'query.ask'>> {
    if (!asked.ok) return asked;
    return succeed({ event: queryLog.decode(asked.value.event), response: asked.value.response });
  }

  const testUpstream = testEachOnce((id) => engine.test(id));
  const whoIs = (session: ServiceSession) => session.who ?? parts.who;
  const answererOf = (session: ServiceSession) => ({ who: whoIs(session), role: session.role });

  const handlers: ServiceHandlers = {
    'status.get': (_params, { role }) => succeed(statusSeenBy(role, status())),
    'status.follow': (_params, session) => {
      const followed = session.subscribe('status', () =>
        feed.follow((changed) =>
          session.notify('status.changed', statusSeenBy(session.role, changed)),
        ),
      );
      return followed.ok ? succeed(statusSeenBy(session.role, status())) : followed;
    },

    'service.stop': () => {
      // systemd would start again what it did not stop itself.
      if (parts.mode === 'system')
        return fail(
          'machine-service',
          "systemd runs the machine's service",
          'systemctl stop sotto',
        );
      parts.askStop();
      return succeed({});
    },

    'protection.on': (_params, session) =>
      turn({ protection: 'on', since: now(), who: whoIs(session) }),
    'protection.off': (_params, session) =>
      turnAway({ protection: 'off', since: now(), who: whoIs(session), until: null }, session.role),
    'protection.pause': (request, session) =>
      turnAway(pauseUntil(request, now(), whoIs(session)), session.role),

    ...createPauseCodeHandlers({ ...parts, turn, whoIs }),
    ...createAuditHandlers(parts.audit),

    ...log,

    'upstream.list': () => succeed({ upstreams: status().upstreams }),
    'upstream.test': async ({ id }) =>
      isConfigured(id) ? await testUpstream(id) : unknownUpstream(id),
    'upstream.retry': () => protection.retryAll(),
    'upstream.forget': ({ id }, { role }) => {
      if (id !== undefined && !isConfigured(id)) return unknownUpstream(id);
      // Without what servers have proved, an attack on them is taken for their habit.
      const evidence = role === 'administer';
      return succeed({ tickets: engine.forget({ id, evidence }), evidence });
    },

    'query.ask': async ({ name, type }) => told(await engine.ask(name, type)),
    'query.tryOut': async () => told(await engine.tryOut(probedThrough.name, probedThrough.type)),

    ...parts.profile,
    ...createSettingsHandlers(editor, protection.inForce),
    ...createSetupHandlers(parts.setupFile),
    ...createUpstreamHandlers({ catalogue, editor, inForce: protection.inForce }),
    ...createIdentityHandlers({
      identities: parts.identities,
      upstreams: () => protection.inForce().settings.upstreams,
      settle: parts.settle,
      journal: parts.journal,
      now,
    }),
    ...createRuleHandlers({
      engine,
      editor,
      inForce: protection.inForce,
      groups: () => status().groups,
      labelOf: parts.labelOf,
      rules: parts.rules,
      numberOf: parts.numberOf,
      settle: parts.settle,
      whoIs,
      refuseAnswer: (answer, { role }) => refuseAnswer(answer, role, protection.inForce()),
    }),
    ...createProbingHandlers(
      engine,
      catalogue,
      parts.works,
      parts.crossCheck,
      () => protection.inForce().settings,
    ),
    'report.compose': async () => {
      const at = now();
      const text = composeReport({
        status: statusSeenBy('control', status()),
        stats: statsSeenBy('observe', await stats()),
        settings: describeSettings(protection.inForce()),
        labelOf: (id) => (parts.labelOf(id) === id ? null : parts.labelOf(id)),
        machine: `${type()} ${release()}, ${arch()}, Node.js ${process.versions.node}`,
        at,
      });
      return succeed({ at, text });
    },
    ...createDoctorHandlers({
      engine,
      works: parts.works,
      handlers: () => handlers,
      surroundings: parts.surroundings,
    }),
    'ledger.list': (filter, session) => succeed(listed(filter, session)),
    'ledger.follow': (filter, session) => {
      const { entries } = listed(filter, session);
      const followed = session.subscribe('ledger', () =>
        ledger.follow((entry) => {
          if (filter.class === undefined || entry.class === filter.class)
            session.notify('ledger.changed', entrySeenBy(session.role, entry));
        }),
      );
      if (!followed.ok) return followed;
      return succeed({ entries, completeSince: ledger.completeSince(entries.at(-1)?.id ?? 0) });
    },

    'ledger.rules': ({ list }) => {
      const rules = ledger.rulesIn(list);
      return rules === null ? noSuchList(list) : succeed({ rules });
    },
    ...createExplicitHandlers({ ledger, network: parts.here, whoIs, now }),

    'consent.list': () => succeed({ consentRequests: protection.consentRequests() }),
    'consent.allow': ({ id, minutes }, session) =>
      protection.allow(id, minutes, answererOf(session)),
    'consent.deny': ({ id }, session) => protection.deny(id, answererOf(session)),
    'consent.retry': ({ id }, session) => protection.retry(id, answererOf(session)),

    ...createPortalHandlers(parts.portal, whoIs, ({ role }) =>
      refuseSiteInCleartext(role, protection.inForce()),
    ),

    'network.list': network.list,
    'network.show': network.show,
    'network.set': (params, session) => {
      const { policy } = params;
      const refused = refuseNetworkChange(params, session);
      if (refused !== null) return refused;
      const set = network.set(params);
      if (set.ok && policy !== undefined)
        parts.journal.note('network-policy-set', {
          network: set.value.id,
          policy,
          who: whoIs(session),
        });
      return set;
    },
    'network.forget': network.forget,
    'network.restore': network.restore,

    ...createSystemDnsHandlers({ ...parts, now }),
    ...createConnectionsHandlers(parts),
    ...createFixHandlers({ fixes: parts.fixes, journal: parts.journal, whoIs }),

    'cache.stats': () => succeed(status().cache),
    'cache.show': ({ name, type }) => {
      const found = engine.showCache(name);
      if (!found.ok) return found;
      return succeed({ entries: found.value.filter((entry) => answersType(entry, type)) });
    },
    'cache.flush': ({ name, suffix }) => {
      const removed = engine.flushCache(cacheFilter(name, suffix));
      return removed.ok ? succeed({ removed: removed.value }) : removed;
    },

    'stats.get': async (_params, { role }) => succeed(statsSeenBy(role, await stats())),
    'stats.follow': async (_params, session) => {
      const followed = session.subscribe('stats', () =>
        statsFeed.follow((changed) =>
          session.notify('stats.changed', statsSeenBy(session.role, changed)),
        ),
      );
      return followed.ok ? succeed(statsSeenBy(session.role, await stats())) : followed;
    },
    'stats.series': async (wanted) => {
      const series = await queryLog.series(wanted);
      return series === null ? noSeries() : succeed(series);
    },
  };
  return handlers;
}

function noSeries(): Result<never> {
  return fail(
    'log-unavailable',
    'figures over time can not be read now: the writer of the query log has ended, and begins again',
    'try again in a moment',
  );
}

function unknownUpstream(id: string): Result<never> {
  return fail('unknown-upstream', `there is no upstream "${id}"`, 'see: sotto upstream list', id);
}

/** A name that does not exist answers queries of every type (RFC 2308, section 5). */
function answersType({ type, rcode }: CacheEntry, wanted: string | undefined): boolean {
  return wanted === undefined || type === wanted.toUpperCase() || rcode === 'NXDOMAIN';
}

/** Undefined: the whole cache. */
function cacheFilter(
  name: string | undefined,
  suffix: string | undefined,
): CacheFilter | undefined {
  if (name !== undefined) return { name };
  return suffix === undefined ? undefined : { suffix };
}

function noSuchList(list: string): Result<never> {
  const message = `no entry of the ledger is for ${JSON.stringify(list)}`;
  return fail('unknown-rule', message, 'give it as "sotto ledger" shows it', 'list');
}
