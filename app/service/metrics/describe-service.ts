/**
 * The figures of one moment, from what the service counts anyway. None of them holds a queried name, a user, a program or an
 * address: labels are words of ours, the ids of upstreams, and what a profile says of itself. Pure.
 */
import { clearClasses, costs, outcomes, transportFacts } from '../../contract/engine-words.ts';
import type { AuditHead } from '../../contract/protection/audit-record.ts';
import { protectionState } from '../../contract/protection/protection-state.ts';
import { verdict } from '../../contract/protection/verdict.ts';
import { downgradePolicies } from '../../contract/settings/downgrade-policies.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { type HealthIssueCode, healthIssueKinds } from '../../contract/status/health-issue.ts';
import type { Histogram } from '../../contract/status/latency-histogram.ts';
import type { QueryTally } from '../../contract/status/service-stats.ts';
import type { ServiceStatus, UpstreamStatus } from '../../contract/status/service-status.ts';
import type { CleartextCount } from './cleartext-count.ts';
import type { Distribution, Labels, Metric, Sample } from './metric.ts';

export interface Described {
  status: ServiceStatus;
  /** octets that the whole service occupies */
  memory: number;
  /** messages from plain resolvers that were no response to a query */
  strays: number;
  /** null: it is not known now */
  tally: QueryTally | null;
  profile: Pick<EnrolledProfile, 'id' | 'serial' | 'fingerprint' | 'notAfter' | 'standsIn'> | null;
  auditHead: AuditHead;
  cleartext: ReadonlyMap<string, CleartextCount>;
  /** of the dnstap reader: frames that were handed over, and queries that were not */
  dnstap: { sent: number; dropped: number };
}

export function describeService(described: Described): Metric[] {
  return [
    ...infos(described),
    ...standing(described),
    ...queries(described),
    ...upstreams(described.status.upstreams),
    ...cache(described.status),
    ...cleartext(described),
    ...delivery(described),
  ];
}

/** Facts that are texts, in the labels of info metrics. */
function infos({ status, profile, auditHead: { records, hash } }: Described): Metric[] {
  return [
    info('sotto_build', 'The Sotto that runs.', { version: status.version }),
    info('sotto_audit_head', 'For "sotto audit verify --head": how far the audit log goes.', {
      records: String(records),
      hash,
    }),
    ...(profile === null ? [] : profileFacts(profile)),
  ];
}

function profileFacts(profile: NonNullable<Described['profile']>): Metric[] {
  const { id, serial, fingerprint, notAfter, standsIn } = profile;
  return [
    info('sotto_profile', "The version of the organisation's profile that was taken.", {
      id,
      serial: String(serial),
      fingerprint,
    }),
    gauge(
      'sotto_profile_stands_in',
      '1 where the version before stands in, because the upstreams of this one fail.',
      standsIn === null ? 0 : 1,
    ),
    ...(notAfter === null
      ? []
      : [time('sotto_profile_not_after_timestamp', 'When the profile expires.', notAfter)]),
  ];
}

function standing({ status, memory }: Described): Metric[] {
  const { protection, groups, health, systemDns } = status;
  const policy = groups.find(({ id }) => id === '')?.policy;
  return [
    time('sotto_start_time', 'When the service started.', status.startedAt),
    gauge('sotto_memory', 'Memory that the service occupies.', memory, 'bytes'),
    chosen(
      'sotto_verdict',
      'The verdict on this computer.',
      'verdict',
      verdicts,
      status.verdict.is,
    ),
    chosen(
      'sotto_protection_state',
      'What happens to queries that reach Sotto.',
      'state',
      protectionStates,
      protection.state,
    ),
    chosen(
      'sotto_downgrade_policy',
      'What happens without a private path.',
      'policy',
      downgradePolicies,
      policy ?? '',
    ),
    gauge(
      'sotto_system_dns_taken',
      "1 where the system's DNS is led to Sotto.",
      systemDns?.taken === true ? 1 : 0,
    ),
    {
      type: 'gauge',
      name: 'sotto_health_issues',
      help: 'Health issues that stand now, by code.',
      samples: (Object.keys(healthIssueKinds) as HealthIssueCode[]).map((code) => ({
        labels: { code, severity: healthIssueKinds[code].severity },
        value: health.filter((issue) => issue.code === code).length,
      })),
    },
  ];
}

function queries({ status, tally }: Described): Metric[] {
  const counted = counter('sotto_queries', 'Queries by outcome.', [
    ...outcomes.map((outcome) => sample({ outcome }, status.outcomes[outcome] ?? 0)),
  ]);
  if (tally === null) return [counted];
  return [
    counted,
    counter(
      'sotto_forwarded_queries',
      'Forwarded queries by what their connection cost; none is counted while the query log is off.',
      costs
        .filter((cost) => cost !== 'none')
        .map((cost) => sample({ cost }, tally.costs[cost] ?? 0)),
    ),
    {
      type: 'histogram',
      name: 'sotto_query_duration',
      unit: 'seconds',
      help: 'Time from arrival to response of forwarded queries; none is counted while the query log is off.',
      distribution: inDoublings(tally.forwarded, tally.forwardedMs / 1000),
    },
    ...(tally.lastAt === null
      ? []
      : [
          time(
            'sotto_last_query_timestamp',
            'When the last query of a program came.',
            tally.lastAt,
          ),
        ]),
  ];
}

function upstreams(all: readonly UpstreamStatus[]): Metric[] {
  const each = (value: (upstream: UpstreamStatus) => number | null) =>
    all.flatMap((upstream) => {
      const found = value(upstream);
      return found === null ? [] : [sample({ upstream: upstream.id }, found)];
    });
  return [
    {
      type: 'gauge',
      name: 'sotto_upstream_up',
      help: '1 where the upstream can be asked: it has a path, and does not rest after a failure.',
      samples: all.map(({ id, transport, path, state }) =>
        sample({ upstream: id, transport }, path !== null && state !== 'resting' ? 1 : 0),
      ),
    },
    {
      type: 'gauge',
      name: 'sotto_upstream_private',
      help: '1 where the upstream is reached privately: over TLS, or by EncDNS.',
      samples: each(({ path }) => (path !== null && transportFacts[path].isPrivate ? 1 : 0)),
    },
    {
      type: 'gauge',
      name: 'sotto_upstream_round_trip',
      unit: 'seconds',
      help: 'Smoothed time from query to response.',
      samples: each(({ rttMs }) => (rttMs === null ? null : rttMs / 1000)),
    },
    counter(
      'sotto_upstream_responses',
      'Queries that the upstream answered.',
      each(({ answered }) => answered),
    ),
    counter(
      'sotto_upstream_failures',
      'Queries that the upstream did not answer.',
      each(({ failed }) => failed),
    ),
    counter(
      'sotto_upstream_dials',
      'Connections that were begun.',
      each(({ dials }) => dials),
    ),
    counter(
      'sotto_upstream_resumptions',
      'Connections that were resumed with a ticket.',
      each(({ resumptions }) => resumptions),
    ),
  ];
}

function cache({ cache: now }: ServiceStatus): Metric[] {
  const one = (value: number) => [sample({}, value)];
  return [
    gauge('sotto_cache_entries', 'Responses in the cache.', now.entries),
    gauge('sotto_cache_size', 'Memory that the cache uses.', now.octets, 'bytes'),
    gauge('sotto_cache_capacity', 'Memory that the cache may use.', now.capacity, 'bytes'),
    counter('sotto_cache_hits', 'Queries that the cache answered.', one(now.hits)),
    counter('sotto_cache_misses', 'Queries that it could not answer.', one(now.misses)),
    counter('sotto_cache_stale', 'Queries answered with expired data.', one(now.stale)),
    counter('sotto_cache_prefetches', 'Responses refreshed ahead.', one(now.prefetched)),
    gauge('sotto_cache_hot_names', 'Names that are asked for ahead.', now.hotNames),
    counter('sotto_cache_sent_ahead', 'Queries sent for hot names.', one(now.sentAhead)),
  ];
}

function cleartext({ status, cleartext: counts }: Described): Metric[] {
  const classes = clearClasses.filter((kind) => kind !== 'none');
  const counted = (value: (count: CleartextCount) => number) =>
    classes.map((kind) => {
      const found = counts.get(kind);
      return sample({ class: kind }, found === undefined ? 0 : value(found));
    });
  return [
    {
      type: 'gauge',
      name: 'sotto_cleartext_permissions',
      help: 'Open entries of the downgrade ledger, by class.',
      samples: classes.map((kind) =>
        sample({ class: kind }, status.clear.filter((entry) => entry.class === kind).length),
      ),
    },
    counter(
      'sotto_cleartext_permissions_opened',
      'Entries of the downgrade ledger since the start.',
      counted(({ opened }) => opened),
    ),
    counter(
      'sotto_cleartext_packets',
      'Packets with a name in cleartext since the start, as the ledger counts them.',
      counted(({ packets }) => packets),
    ),
  ];
}

function delivery({ status, strays, dnstap }: Described): Metric[] {
  const one = (value: number) => [sample({}, value)];
  return [
    counter(
      'sotto_stray_messages',
      'Messages of plain resolvers that were no response to a query.',
      one(strays),
    ),
    counter(
      'sotto_query_log_lost',
      'Queries that the query log could not keep.',
      one(status.log.lost + status.events.dropped),
    ),
    counter('sotto_dnstap_frames', 'Frames handed to the dnstap reader.', one(dnstap.sent)),
    counter(
      'sotto_dnstap_dropped',
      'Queries that the dnstap reader did not get.',
      one(dnstap.dropped),
    ),
  ];
}

/**
 * Buckets of the service are never wider than 3.2 %, and each doubling begins with one: so these bounds, powers of two in
 * microseconds, count exactly what lies below them.
 */
const doublings = Array.from({ length: 15 }, (_, index) => 2 ** (index + 9));

function inDoublings(times: Histogram, sum: number): Distribution {
  const counts = [...doublings, 0].map(() => 0);
  for (const [longest, count] of times) {
    const found = doublings.findIndex((bound) => longest < bound);
    const bucket = found === -1 ? doublings.length : found;
    counts[bucket] = (counts[bucket] ?? 0) + count;
  }
  return { bounds: doublings.map((microseconds) => microseconds / 1e6), counts, sum };
}

const protectionStates = protectionState.options.map(({ shape }) => shape.state.value);
const verdicts = verdict.options.map(({ shape }) => shape.is.value);

function info(name: string, help: string, labels: Labels): Metric {
  return { type: 'info', name, help, samples: [labels] };
}

function time(name: string, help: string, unixMilliseconds: number): Metric {
  return gauge(name, help, unixMilliseconds / 1000, 'seconds');
}

function gauge(name: string, help: string, value: number, unit?: 'seconds' | 'bytes'): Metric {
  const samples = [sample({}, value)];
  return { type: 'gauge', name, help, ...(unit === undefined ? {} : { unit }), samples };
}

/** 1 for the one that is so, and 0 for the others, so that no series ever vanishes. */
function chosen(
  name: string,
  help: string,
  label: string,
  words: readonly string[],
  is: string,
): Metric {
  const samples = words.map((word) => sample({ [label]: word }, word === is ? 1 : 0));
  return { type: 'gauge', name, help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { type: 'counter', name, help, samples };
}

function sample(labels: Labels, value: number): Sample {
  return { labels, value };
}
