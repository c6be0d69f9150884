/** The service at one moment: what `sotto status` prints and the window draws. */
import { z } from 'zod';
import {
  limitTellers,
  octetCounters,
  rests,
  rungNames,
  upstreamStates,
  upstreamTransports,
} from '../engine-words.ts';
import { consentRequest } from '../protection/consent-request.ts';
import { ledgerEntry } from '../protection/ledger-entry.ts';
import { protectionState } from '../protection/protection-state.ts';
import { verdict } from '../protection/verdict.ts';
import { outcome } from '../query-log/query-event.ts';
import { consent, downgradePolicy, rungs, strategy } from '../settings/downgrade-policy.ts';
import { portalStatus } from '../system/portal.ts';
import { systemDnsStatus } from '../system/system-dns.ts';
import { healthIssue } from './health-issue.ts';

const count = z.number().int().nonnegative();
const unixMilliseconds = z.number();

export const tlsFacts = z.strictObject({
  /** "1.2" or "1.3" */
  version: z.string(),
  cipher: z.string(),
  /** key exchange group; empty where a resumed TLS 1.2 session had none */
  group: z.string(),
  resumed: z.boolean(),
  /** the name for which the certificate was checked */
  name: z.string().nullable(),
  /** a pin matched */
  pinned: z.boolean(),
});

/** How an upstream's connection is kept warm: docs/design/round-trips.md. */
export const warmth = z.strictObject({
  /** how long it keeps an idle connection; null: it never said, and never closed one */
  idleLimitMs: z.number().nonnegative().nullable(),
  idleLimitBy: z.enum(limitTellers).nullable(),
  /** connections of the last hour that were opened before a query needed them, of at most `budget` */
  dials: count,
  budget: count,
  /** why none is opened now; null: they are. `unwanted`: the upstream keeps no idle connections */
  rests: z.enum(rests).nullable(),
});

/** The cost of an upstream's queries and connections since the service began. */
export const upstreamCost = z.strictObject({
  /** answered queries that found the connection open, */
  reused: count,
  /** that opened one with a ticket, */
  resumed: count,
  /** that opened one without, */
  cold: count,
  /** that waited for one that was being opened */
  queued: count,
  /** connections that were made, for a query or ahead of one */
  handshakes: count,
  handshakeMeanMs: z.number().nonnegative().nullable(),
  octets: z.strictObject({
    sent: count,
    received: count,
    /** `system`: everything that TCP carried, handshakes included; `messages`: only those, with framing and padding */
    by: z.enum(octetCounters),
  }),
});

/** Addresses that were tried in vain, the gravest error first; `code` is the engine's stable code. */
export const tried = z
  .array(z.strictObject({ address: z.string(), code: z.string(), text: z.string() }))
  .optional();

/** Why an upstream gave no response. `tried`: where no connection was made. */
export const upstreamError = z.strictObject({ code: z.string(), text: z.string(), tried });

export const upstreamStatus = z.strictObject({
  id: z.string(),
  /** for people: the catalogue's where its name is known there, else the id */
  label: z.string(),
  transport: z.enum(upstreamTransports),
  /** empty: the default group */
  group: z.string(),
  /** the transport in use now; null where there is none */
  path: z.enum(upstreamTransports).nullable(),
  state: z.enum(upstreamStates),
  /** the ip:port in use, or the last one */
  address: z.string().nullable(),
  tls: tlsFacts.nullable(),
  /** why it gave no response last time; null since it gave one again */
  lastError: upstreamError.nullable(),
  restingMs: z.number().nonnegative(),
  inFlight: count,
  answered: count,
  failed: count,
  /** queries for which it was one of several, and another responded first */
  outrun: count,
  /** messages that were no response to a query of ours */
  strays: count,
  /** EncDNS: the server did not say whether it can hide the lengths of queries, so whoever carries the boxes sees them */
  lengthsShown: z.boolean(),
  dials: count,
  resumptions: count,
  /** null where it is not private */
  warmth: warmth.nullable(),
  /** null where there are no connections */
  cost: upstreamCost.nullable(),
  /** milliseconds; null before the first response */
  rttMs: z.number().nonnegative().nullable(),
  /** of the last connection */
  handshakeMs: z.number().nonnegative().nullable(),
});

/** The policy in force for one group of upstreams, and the group's state. */
export const groupStatus = z.strictObject({
  /** empty: the default group, which takes every name that no other group takes */
  id: z.string(),
  names: z.array(z.string()),
  policy: downgradePolicy,
  /** who set it, in a few words */
  why: z.string(),
  rungs,
  strategy,
  consent,
  state: protectionState,
});

/** A rung in use or tried, while a lease allows it. */
export const rungStatus = z.strictObject({
  group: z.string(),
  rung: z.enum(rungNames),
  upstream: z.string(),
  state: z.enum(upstreamStates),
  lastError: z.string().nullable(),
});

/** The network that the machine is on, as far as it can be known. */
export const networkStatus = z.strictObject({
  id: z.string(),
  label: z.string(),
  /** one of our upstreams has proved its identity since we came here */
  authenticated: z.boolean(),
});

export const cacheStatus = z.strictObject({
  entries: count,
  /** octets in use, of at most `capacity` */
  octets: count,
  capacity: count,
  hits: count,
  misses: count,
  /** answered with expired data (RFC 8767) */
  stale: count,
  /** refreshed shortly before they expired */
  prefetched: count,
  /** names that are asked for when their answers expire */
  hotNames: count,
  /** queries that were sent for them */
  sentAhead: count,
});

export const eventStatus = z.strictObject({ delivered: count, dropped: count });

export const logStatus = z.strictObject({
  state: z.enum(['writing', 'stopped', 'off']),
  reason: z.string().nullable(),
  rows: count,
  octets: count,
  /** events that could not be stored */
  lost: count,
});

/** A setting that protects less than its default. */
export const loosened = z.strictObject({
  setting: z.enum(['allowPrivate', 'forwardSpecial', 'earlyData', 'systemDns.close']),
  /** the names it is about, of `earlyData` the upstreams; null where there is nothing to count */
  count: count.nullable(),
});

export const serviceStatus = z.strictObject({
  version: z.string(),
  pid: z.number().int(),
  startedAt: unixMilliseconds,
  /** guardian or service manager restarts it when it dies, and holds its addresses meanwhile */
  guarded: z.boolean(),
  /** whether this computer's queries come to us, and what happens to them */
  verdict,
  /** the verdict in English: headline and sentences */
  sentence: z.string(),
  /** what happens to the queries that do come to us */
  protection: protectionState,
  listening: z.array(z.string()),
  upstreams: z.array(upstreamStatus),
  outcomes: z.partialRecord(outcome, count),
  /** open entries of the downgrade ledger */
  clear: z.array(ledgerEntry),
  /** the default group first */
  groups: z.array(groupStatus),
  /** open consent requests */
  consentRequests: z.array(consentRequest),
  rungs: z.array(rungStatus),
  /** beside the policy, the ledger's entries and the health issues, which tell of the others */
  loosened: z.array(loosened),
  network: networkStatus,
  /** whether the system's own DNS is led here; null: this service knows no mechanism of this system */
  systemDns: systemDnsStatus.nullable(),
  /** the network wants a login; null: there is no sign of that */
  portal: portalStatus.nullable(),
  cache: cacheStatus,
  events: eventStatus,
  log: logStatus,
  health: z.array(healthIssue),
});

export type CacheStatus = z.infer<typeof cacheStatus>;
export type Warmth = z.infer<typeof warmth>;
export type Tried = z.infer<typeof tried>;
export type UpstreamError = z.infer<typeof upstreamError>;
export type UpstreamStatus = z.infer<typeof upstreamStatus>;
export type GroupStatus = z.infer<typeof groupStatus>;
export type NetworkStatus = z.infer<typeof networkStatus>;
export type Loosened = z.infer<typeof loosened>;
export type LogStatus = z.infer<typeof logStatus>;
export type ServiceStatus = z.infer<typeof serviceStatus>;
