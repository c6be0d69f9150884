/** The present state of the service: its status, its health issues, and its figures. */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import type { ServiceStatus, UpstreamStatus } from '../../contract/status/service-status.ts';
import { builtAt } from '../base/version.ts';
import { accountsIn, type NumberOf } from '../conditions/condition-here.ts';
import type { EngineStatus } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { catalogueHealth } from '../health/catalogue-health.ts';
import { downgradeAttempts } from '../health/downgrade-attempts.ts';
import { engineHealth } from '../health/engine-health.ts';
import type { Derived, HealthRegistry } from '../health/health-registry.ts';
import { identityHealth } from '../health/identity-health.ts';
import { profileHealth } from '../health/profile-health.ts';
import { ruleHealth } from '../health/rule-health.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { Portal } from '../portal/portal.ts';
import { portalHealth } from '../portal/portal-health.ts';
import { describeEnrolled } from '../profiles/describe-enrolled.ts';
import type { EnrolmentStore } from '../profiles/enrolment.ts';
import { upstreamsOf } from '../protection/group-observer.ts';
import type { Protection, ProtectionView } from '../protection/protection.ts';
import type { QueryLog } from '../query-log/query-log.ts';
import type { RulesNow } from '../rules/rules-now.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';
import type { Coverage } from '../system-dns/coverage/coverage.ts';
import type { SystemDns } from '../system-dns/system-dns.ts';
import { composeStats } from './compose-stats.ts';
import { composeStatus, writeTime } from './compose-status.ts';
import { loosenedBy } from './loosened.ts';

interface Parts {
  version: string;
  /** unix milliseconds */
  startedAt: number;
  /** "ip:port" of the addresses that the guardian holds; null: there is no guardian */
  held: readonly string[] | null;
  enrolment: Pick<EnrolmentStore, 'current' | 'here'>;
  identities: Pick<IdentityStore, 'all'>;
  catalogue: readonly Resolver[];
  engine: Pick<EngineDriver, 'status'>;
  protection: Protection;
  portal: Pick<Portal, 'status' | 'ownProbes'>;
  systemDns: Pick<SystemDns, 'status'>;
  coverage: Pick<Coverage, 'seen'>;
  rules: Pick<RulesNow, 'under'>;
  numberOf: NumberOf;
  queryLog: Pick<QueryLog, 'status' | 'tally'>;
  health: HealthRegistry;
  /** the label of an upstream, for people */
  labelOf(upstream: string): string;
  now(): number;
}

export interface ServiceNow {
  /** Reading it changes nothing. */
  status(): ServiceStatus;
  /** To be called when something changed: the age of a health issue counts from here. */
  noticeIssues(): void;
  stats(): Promise<ServiceStats>;
}

export function createServiceNow(parts: Parts): ServiceNow {
  const { version, startedAt, held, protection, portal, queryLog, health, now } = parts;

  function see(): Seen {
    const engine = parts.engine.status();
    return {
      engine,
      view: protection.view(engine),
      upstreams: upstreamsOf(protection.inForce().settings.upstreams, engine).map((upstream) => ({
        ...upstream,
        label: parts.labelOf(upstream.id),
      })),
      clear: protection.standing(),
    };
  }

  function status(): ServiceStatus {
    const seen = see();
    return composeStatus({
      ...seen,
      version,
      startedAt,
      guarded: held !== null,
      systemDns: parts.systemDns.status(),
      coverage: parts.coverage.seen(),
      consentRequests: protection.consentRequests(),
      loosened: loosenedBy(protection.inForce().settings),
      portal: portal.status(),
      log: queryLog.status(),
      health: health.listWith(issues(seen)),
    });
  }

  function issues({ engine, view, upstreams, clear }: Seen): Derived[] {
    const { groups, here: network } = view;
    const { downgradeEvidence } = engine;
    const { labelOf } = parts;
    return [
      ...view.health,
      ['captive-portal', portalHealth(portal.status())] as const,
      ...engineHealth({ engine, held, now: now(), built: builtAt() }),
      ...identityHealth(protection.inForce().settings.upstreams, parts.identities.all(), now()),
      ...profileHealth(describeEnrolled(parts.enrolment), now()),
      ...catalogueHealth(protection.inForce().settings.upstreams, parts.catalogue, now()),
      ...ruleHealth(
        parts.rules.under(protection.inForce()),
        accountsIn(protection.inForce().settings),
        parts.numberOf,
      ),
      [
        'downgrade-attempt',
        downgradeAttempts({
          downgradeEvidence,
          upstreams,
          groups,
          clear,
          network,
          labelOf,
          writeTime,
        }),
      ] as const,
    ];
  }

  async function tallied() {
    const tally = await queryLog.tally();
    const { strays, ownProbes } = parts.engine.status();
    return composeStats(status(), {
      now: now(),
      memory: process.memoryUsage.rss(),
      tally,
      strays,
      ownProbes: [...ownProbes, ...portal.ownProbes()],
    });
  }

  let asked: ReturnType<typeof tallied> | null = null;

  return {
    status,
    noticeIssues() {
      for (const [code, details] of issues(see())) health.replace(code, details);
    },
    /** A request that comes while a reply is being prepared gets that reply. */
    stats() {
      asked ??= tallied().finally(() => {
        asked = null;
      });
      return asked;
    },
  };
}

interface Seen {
  engine: EngineStatus;
  view: ProtectionView;
  upstreams: UpstreamStatus[];
  clear: LedgerEntry[];
}
