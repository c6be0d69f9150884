/** The catalogue of resolvers, how fast they respond from here, and the list of upstreams. */

import { z } from 'zod';
import { comparedQueries } from '../bounds.ts';
import { keyUses, upstreamTransports } from '../engine-words.ts';
import { begun } from '../probing/progress.ts';
import { tlsFacts, tried, upstreamError } from '../status/service-status.ts';
import { settingChange } from './settings-methods.ts';
import {
  authenticationName,
  identityName,
  pin,
  serverAddress,
  upstreamSetting,
} from './upstream-settings.ts';

const nothing = z.strictObject({});
const upstreamId = z.string().min(1).max(64);
const milliseconds = z.number().nonnegative();

/** One resolver of the catalogue. */
export const resolver = z.strictObject({
  id: z.string(),
  label: z.string(),
  operator: z.string(),
  transport: z.enum(upstreamTransports),
  addresses: z.array(z.string()),
  names: z.array(z.string()),
  /** the operator's own statement; null: there is none */
  filtering: z.string(),
  validation: z.string().nullable(),
  logging: z.string(),
  /** where the operator says so */
  source: z.string(),
  /** when addresses and names were last compared, and with which pages: the operator's own, or independent lists that agree */
  checked: z.strictObject({
    on: z.string(),
    by: z.enum(['operator', 'others']),
    against: z.array(z.string()),
  }),
  /** which names port 53 of its addresses answers; where it is not every name, no rung in cleartext leads there */
  inCleartext: z.enum(['every name', 'its own names']),
  /** the day on which the operator ends it, and the page that says so; null: it goes on */
  retired: z.strictObject({ on: z.string(), notice: z.string() }).nullable(),
});

export const catalogueEntry = z.strictObject({
  ...resolver.shape,
  /** id of the upstream that is this resolver; null: none is */
  upstream: z.string().nullable(),
});

/** How fast one resolver of the catalogue responds: each query over a fresh connection, and of several the median. */
export const measuredResolver = z.strictObject({
  resolver: z.string(),
  ok: z.boolean(),
  /** the ip:port that responded, or whose error is the gravest */
  address: z.string().nullable(),
  tried,
  /** from query to response, once connected; null without one */
  responseMs: milliseconds.nullable(),
  /** connection and TLS */
  handshakeMs: milliseconds.nullable(),
  tls: tlsFacts.nullable(),
  /** the gravest error, whose code `code` is, and all others after it */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});

/** How fast one upstream responds over its own connection: the median of `comparedQueries`. */
export const measuredUpstream = z.strictObject({
  upstream: z.string(),
  /** from query to response, once connected; null where one of the queries got none */
  responseMs: milliseconds.nullable(),
  error: upstreamError.nullable(),
});

const changed = z.strictObject({
  upstream: upstreamSetting,
  change: settingChange,
  /** sentences for the person who added it */
  notes: z.array(z.string()),
});

export const catalogueMethods = {
  list: { params: nothing, result: z.strictObject({ resolvers: z.array(catalogueEntry) }) },
  measure: {
    params: z.strictObject({
      /** absent: all */
      resolvers: z.array(z.string()).max(100).optional(),
      /** to each; absent: one */
      queries: z.int().min(1).max(comparedQueries).optional(),
    }),
    result: begun,
  },
};

/** How a new upstream is given. */
export const newUpstream = z.union([
  z.strictObject({ resolver: upstreamId }),
  /** sdns://…, or encdns://… with who carries its boxes */
  z.strictObject({
    stamp: z.string().max(4096),
    id: upstreamId.optional(),
    over: z.union([z.string().max(64), z.array(serverAddress).min(1).max(16)]).optional(),
    keys: z.enum(keyUses).optional(),
  }),
  z.strictObject({
    id: upstreamId.optional(),
    transport: z.enum(upstreamTransports),
    address: z.union([serverAddress, z.array(serverAddress).min(1).max(16)]),
    name: authenticationName.optional(),
    pins: z.array(pin).max(16).optional(),
    /** an absolute path */
    ca: z.string().min(1).max(4096).optional(),
    identity: identityName.optional(),
  }),
]);

export const upstreamMethods = {
  /**
   * Forgets what lets upstreams recognise us: tickets of every network, open connections, cookies. Without an id, of all. Only with the
   * role administer it forgets what they have proved as well.
   */
  forget: {
    params: z.strictObject({ id: z.string().optional() }),
    result: z.strictObject({
      tickets: z.int().nonnegative(),
      /** also that they ever spoke TLS, or hid the lengths of queries */
      evidence: z.boolean(),
    }),
  },
  add: {
    params: z.strictObject({
      upstream: newUpstream,
      /** place in the order, from 0; absent: the last */
      at: z.int().nonnegative().optional(),
    }),
    result: changed,
  },
  remove: { params: z.strictObject({ id: upstreamId }), result: changed },
  /** `to`: the place it has afterwards, from 0 */
  move: {
    params: z.strictObject({ id: upstreamId, to: z.int().nonnegative() }),
    result: changed,
  },
  /** all that may be asked without allowing anything in cleartext */
  measure: { params: nothing, result: begun },
};

export type CatalogueEntry = z.infer<typeof catalogueEntry>;
export type MeasuredResolver = z.infer<typeof measuredResolver>;
export type MeasuredUpstream = z.infer<typeof measuredUpstream>;
export type NewUpstream = z.infer<typeof newUpstream>;
export type UpstreamChanged = z.infer<typeof changed>;
