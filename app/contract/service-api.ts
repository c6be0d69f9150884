/**
 * The methods of the service, the role that each needs, and the notifications. Client, server and test fakes derive their types
 * from this one object; both sides validate with it. Every reply is a Result: expected failures are values.
 */

import { z } from 'zod';
import { mostEntries } from './bounds.ts';
import { dnsMessage } from './dns/dns-message.ts';
import { typedName } from './dns/typed-name.ts';
import type { Result } from './errors.ts';
import { failure } from './failure.ts';
import { method, type Role, roles } from './method.ts';
import { askEach, responseOfOne } from './probing/ask-each.ts';
import { crossCheck, crossChecked } from './probing/cross-check.ts';
import { probeReport } from './probing/probe-report.ts';
import { begun, progress, workMethods } from './probing/progress.ts';
import { auditMethods } from './protection/audit-record.ts';
import {
  consentRequest,
  retriedConsentRequest,
  retriedUpstreams,
} from './protection/consent-request.ts';
import { ledgerEntry } from './protection/ledger-entry.ts';
import { pauseCodeMethods } from './protection/pause-code.ts';
import { logMethods, logNotifications } from './query-log/log-api.ts';
import { clearClass, queryEvent } from './query-log/query-event.ts';
import { identityMethods } from './settings/identity-methods.ts';
import { profileMethods } from './settings/profile-methods.ts';
import { ruleMethods } from './settings/rule-methods.ts';
import { settingsMethods } from './settings/settings-methods.ts';
import { setupMethods } from './settings/setup.ts';
import {
  catalogueMethods,
  measuredResolver,
  measuredUpstream,
  upstreamMethods,
} from './settings/upstream-methods.ts';
import { cacheEntry } from './status/cache-entry.ts';
import { diagnosticReport, finding } from './status/finding.ts';
import { seriesMethods } from './status/series.ts';
import { serviceStats } from './status/service-stats.ts';
import { cacheStatus, serviceStatus, upstreamStatus } from './status/service-status.ts';
import { connectionsMethods } from './system/connections.ts';
import { coverageMethods } from './system/coverage.ts';
import { coverageFixMethods } from './system/coverage-fix.ts';
import { networkMethods } from './system/network.ts';
import { portalMethods } from './system/portal.ts';
import { systemDnsMethods } from './system/system-dns.ts';

export { type Role, roles } from './method.ts';

export function mayCall(role: Role, name: MethodName): boolean {
  return roles.indexOf(role) >= roles.indexOf(serviceApi.methods[name].role);
}

const nothing = z.strictObject({});

/** mnemonic, or TYPE65280 */
const recordType = z.string().min(1).max(20);

const ledgerFilter = z.strictObject({
  limit: z.int().min(1).max(mostEntries),
  class: clearClass.optional(),
});

/** What a client can follow. A connection follows each once, and the log under numbers. */
export const topics = ['status', 'stats', 'ledger', 'log'] as const;
export type Topic = (typeof topics)[number];

const subscriptionEnded = z.strictObject({
  topic: z.enum(topics),
  /** of the log: the number that "log.follow" gave; else null */
  subscription: z.int().nullable(),
  /** why, and what to do about it: "too-slow" */
  failure,
});

const consentRequestId = z.string().min(1).max(64);

export const serviceApi = {
  methods: {
    /** The first message on every connection. */
    hello: method('observe', {
      params: z.strictObject({ contract: z.int(), client: z.string().max(200) }),
      result: z.strictObject({
        contract: z.int(),
        version: z.string(),
        pid: z.int(),
        role: z.enum(roles),
      }),
    }),

    /** An observer sees no places and no names of rules (docs/design/control-socket.md). */
    'status.get': method('observe', { params: nothing, result: serviceStatus }),
    /** The present status; from here on `status.changed` reports every change. */
    'status.follow': method('observe', { params: nothing, result: serviceStatus }),

    /** A person's own service ends, and gives the system's DNS back. The machine's is stopped by systemd. */
    'service.stop': method('administer', { params: nothing, result: nothing }),

    'protection.on': method('control', { params: nothing, result: serviceStatus }),
    'protection.off': method('control', { params: nothing, result: serviceStatus }),
    'protection.pause': method('control', {
      params: z.union([
        z.strictObject({ minutes: z.number().positive().max(10_080) }),
        z.strictObject({ untilRestart: z.literal(true) }),
      ]),
      result: serviceStatus,
    }),

    ...pauseCodeMethods,

    'log.query': method('administer', logMethods.query),
    'log.search': method('administer', logMethods.search),
    'log.count': method('administer', logMethods.count),
    'log.histogram': method('administer', logMethods.histogram),
    'log.facets': method('administer', logMethods.facets),
    'log.top': method('administer', logMethods.top),
    'log.cancel': method('administer', logMethods.cancel),
    'log.event': method('administer', logMethods.event),
    'log.pour': method('administer', logMethods.pour),
    'log.suggest': method('administer', logMethods.suggest),
    'log.follow': method('administer', logMethods.follow),
    'log.unfollow': method('administer', logMethods.unfollow),
    'log.clear': method('administer', logMethods.clear),

    'upstream.list': method('observe', {
      params: nothing,
      result: z.strictObject({ upstreams: z.array(upstreamStatus) }),
    }),
    /** A fresh connection, authenticated and used for one probe query. */
    'upstream.test': method('control', {
      params: z.strictObject({ id: z.string() }),
      result: probeReport,
    }),
    /**
     * Makes connections anew and asks every private upstream over one of its own, as "consent.retry" does, also where nobody was
     * asked. Replies when the result is known.
     */
    'upstream.retry': method('control', { params: nothing, result: retriedUpstreams }),
    'upstream.forget': method('control', upstreamMethods.forget),

    /** The resolvers we ship. */
    'catalogue.list': method('observe', catalogueMethods.list),
    /** `catalogue.measured` brings the results. */
    'catalogue.measure': method('control', catalogueMethods.measure),
    /** `upstream.measured` brings the results. */
    'upstream.measure': method('control', upstreamMethods.measure),
    /** `upstream.crossChecked` brings what was found. */
    'upstream.crossCheck': method('control', crossCheck),
    /** These edit the setting "upstreams"; an administrator decides who may see names. */
    'upstream.add': method('control', upstreamMethods.add),
    'upstream.remove': method('control', upstreamMethods.remove),
    'upstream.move': method('control', upstreamMethods.move),

    /** These names belong to a company or a home. */
    'rule.list': method('control', ruleMethods.list),
    /** Whether a response is kept says that somebody looked the name up. */
    'rule.explain': method('administer', ruleMethods.explain),
    'rule.add': method('control', ruleMethods.add),
    'rule.remove': method('control', ruleMethods.remove),
    /** Believing needs the role administer where "consent" says so. */
    'rule.answer': method('control', ruleMethods.answer),
    'rule.export': method('control', ruleMethods.export),
    'rule.import': method('control', ruleMethods.import),

    /** `query.answered` brings the responses. */
    'query.askEach': method('control', askEach),
    /**
     * Examines the service as `sotto doctor` does; `doctor.found` brings the findings. Sends each upstream a query for the
     * root.
     */
    'doctor.run': method('control', { params: nothing, result: begun }),
    /** For others to read: no queried names, no addresses, nothing that a person wrote. */
    'report.compose': method('observe', { params: nothing, result: diagnosticReport }),
    /** Ends what `upstream.measure`, `upstream.crossCheck`, `catalogue.measure`, `query.askEach` or `doctor.run` began. */
    'work.cancel': method('observe', workMethods.cancel),

    /** Through the whole pipeline, as a program's query would go. */
    'query.ask': method('control', {
      params: z.strictObject({ name: typedName, type: recordType }),
      result: z.strictObject({ event: queryEvent, response: dnsMessage }),
    }),
    /** The same for a name of ours, to see whether it works: neither counted nor kept. */
    'query.tryOut': method('control', {
      params: nothing,
      result: z.strictObject({ event: queryEvent, response: dnsMessage }),
    }),

    'settings.effective': method('control', settingsMethods.effective),
    ...profileMethods,
    ...identityMethods,

    'settings.describe': method('observe', settingsMethods.describe),
    /** Changes settings.json. What takes protection away needs the role administer; a locked setting is refused. */
    'settings.set': method('control', settingsMethods.set),
    /** The user's settings no longer set it. */
    'settings.reset': method('control', settingsMethods.reset),
    /** Takes back the last change through this service that was not changed again since. */
    'settings.undo': method('control', settingsMethods.undo),
    /** Writes settings.json as it was before it vanished. */
    'settings.restore': method('control', settingsMethods.restore),
    /** Lets go of what vanished files said: docs/design/settings.md. */
    'settings.accept': method('administer', settingsMethods.accept),

    'setup.get': method('observe', setupMethods.get),
    /** Completed or skipped: the first run does not appear again. */
    'setup.end': method('control', setupMethods.end),

    /** Permissions to send in cleartext, newest first; open ones included. For the next page give the last id as `beforeId`. */
    'ledger.list': method('observe', {
      params: ledgerFilter.extend({ beforeId: z.int().positive().optional() }),
      result: z.strictObject({ entries: z.array(ledgerEntry) }),
    }),
    /** The first page; from here on `ledger.changed` brings every entry that is opened, extended, counted or closed. */
    'ledger.follow': method('observe', {
      params: ledgerFilter,
      result: z.strictObject({
        entries: z.array(ledgerEntry),
        /** of the time before, entries that have ended may be missing: the ledger began then, or held more than are listed */
        completeSince: z.number(),
      }),
    }),

    /** What the word of a list in an entry's `rule` stands for: a line for each rule, as the query log names it. */
    'ledger.rules': method('control', {
      params: z.strictObject({ list: z.string().max(64) }),
      result: z.strictObject({ rules: z.string() }),
    }),

    /** A command of the person's own is about to send one query past us in cleartext: an entry of class `explicit`. */
    'ledger.begin': method('control', {
      params: z.strictObject({
        transport: z.enum(['udp', 'tcp']),
        /** ip:port */
        address: z.string().regex(/^[!-~]{1,64}$/, 'it is not an address with a port'),
        timeoutMs: z.int().positive().max(600_000),
      }),
      result: z.strictObject({ entry: z.int().positive() }),
    }),
    /** Closes the entry that this connection began; the connection's end does so, too, with an unknown count. */
    'ledger.end': method('control', {
      params: z.strictObject({ packets: z.int().nonnegative().max(1000) }),
      result: nothing,
    }),

    ...auditMethods,

    /** Open consent requests, and those closed since the service started; newest first. */
    'consent.list': method('control', {
      params: nothing,
      result: z.strictObject({ consentRequests: z.array(consentRequest) }),
    }),
    /** Needs the role administer where the ask's `consent` says so. */
    'consent.allow': method('control', {
      params: z.strictObject({ id: consentRequestId, minutes: z.number().positive().max(10_080) }),
      result: consentRequest,
    }),
    /** Stay private here. */
    'consent.deny': method('control', {
      params: z.strictObject({ id: consentRequestId }),
      result: consentRequest,
    }),
    /** Tries the private paths again; also after "no" and after the deadline. Replies when the result is known. */
    'consent.retry': method('control', {
      params: z.strictObject({ id: consentRequestId }),
      result: retriedConsentRequest,
    }),

    /** A network that wants a login: docs/design/portals.md. */
    'portal.check': method('control', portalMethods.check),
    'portal.open': method('control', portalMethods.open),
    'portal.close': method('control', portalMethods.close),
    'portal.skip': method('control', portalMethods.skip),
    'portal.allowSite': method('control', portalMethods.allowSite),

    /** Places where this machine has been. */
    'network.list': method('administer', networkMethods.list),
    'network.show': method('administer', networkMethods.show),
    /** Of another network than the one we are on: needs the role administer. */
    'network.set': method('control', networkMethods.set),
    'network.forget': method('administer', networkMethods.forget),
    'network.restore': method('administer', networkMethods.restore),

    /** Whether the system's own DNS is led to us, by what, and since when. */
    'system.status': method('observe', systemDnsMethods.status),
    /** Sets `systemDns.take`, and replies when the result is known. */
    'system.take': method('control', systemDnsMethods.take),
    /** The reverse. What takes protection away needs the role administer. */
    'system.giveBack': method('control', systemDnsMethods.giveBack),
    /**
     * Whether this machine's queries arrive here: it looks up names that are used once and by no one else, and looks for
     * coverage gaps.
     */
    'system.probe': method('control', systemDnsMethods.probe),

    /** Which programs of which users reach addresses that no response gave. */
    'connections.list': method('administer', connectionsMethods.list),
    /** What can be changed in other programs' settings so that their queries come here, and what was. */
    'coverage.fixes': method('observe', coverageFixMethods.fixes),
    /** For every user of this machine; it shows what files of root's say. */
    'coverage.fix': method('administer', coverageFixMethods.fix),
    'coverage.undo': method('administer', coverageFixMethods.undo),
    /** What goes around Sotto, counted and configured. Names of programs are for administrators, and for their own user. */
    'coverage.map': method('control', coverageMethods.map),

    'cache.stats': method('observe', { params: nothing, result: cacheStatus }),
    /** The cache's entries for a name, which say that somebody looked it up. */
    'cache.show': method('administer', {
      params: z.strictObject({ name: typedName, type: recordType.optional() }),
      result: z.strictObject({ entries: z.array(cacheEntry) }),
    }),
    /** One name, everything at and below a suffix, or all. */
    'cache.flush': method('control', {
      params: z
        .strictObject({ name: typedName.optional(), suffix: typedName.optional() })
        .refine(({ name, suffix }) => name === undefined || suffix === undefined, {
          error: 'give a name or a suffix, not both',
        }),
      result: z.strictObject({ removed: z.int().nonnegative() }),
    }),

    'stats.get': method('observe', { params: nothing, result: serviceStats }),
    /** The figures now; from here on `stats.changed` brings them every second. */
    'stats.follow': method('observe', { params: nothing, result: serviceStats }),
    /** What became of queries over time, for a chart. It shows at which hours people were there, so it is not for observers. */
    'stats.series': method('control', seriesMethods.series),
  },

  notifications: {
    'status.changed': serviceStatus,
    'stats.changed': serviceStats,
    'ledger.changed': ledgerEntry,
    'catalogue.measured': progress(measuredResolver),
    'upstream.measured': progress(measuredUpstream),
    'upstream.crossChecked': progress(crossChecked),
    'query.answered': progress(responseOfOne),
    'doctor.found': progress(finding),
    'log.events': logNotifications.events,
    'log.progress': logNotifications.progress,
    'subscription.ended': subscriptionEnded,
  },
};

type Methods = typeof serviceApi.methods;
type Notifications = typeof serviceApi.notifications;

export type MethodName = keyof Methods;
export type Params<Name extends MethodName> = z.output<Methods[Name]['params']>;
export type ResultOf<Name extends MethodName> = z.output<Methods[Name]['result']>;
export type NotificationName = keyof Notifications;
export type NotificationOf<Name extends NotificationName> = z.output<Notifications[Name]>;

/** The service as a client sees it, whatever carries the messages. */
export interface ServiceClient {
  call<Name extends MethodName>(name: Name, params: Params<Name>): Promise<Result<ResultOf<Name>>>;
  /** The function returned ends the subscription. */
  on<Name extends NotificationName>(
    name: Name,
    listener: (payload: NotificationOf<Name>) => void,
  ): () => void;
  /** Called once, when the connection ends for whatever reason. */
  onClose(listener: () => void): void;
  close(): void;
}

/** One connection, as the service's handlers see it. */
export interface ServiceSession {
  /** the peer's role; a handler reads it where the method's role alone does not decide */
  readonly role: Role;
  /** the person behind the connection; null: unknown, so it counts as the one who runs the service */
  readonly who: string | null;
  /** number of that person's account; null: unknown */
  readonly account: number | null;
  notify<Name extends NotificationName>(name: Name, payload: NotificationOf<Name>): void;
  /**
   * `begin` starts the notifications, unless there are as many subscriptions as there may be; the function that it returns ends
   * them.
   */
  subscribe(topic: Topic, begin: () => () => void, subscription?: number): Result<{ end(): void }>;
  /** Counts one more work that goes on after its reply, unless there are as many as there may be. `end`: it is done. */
  beginWork(): Result<{ end(): void }>;
  /** Runs when the connection ends. The function returned cancels that. */
  onClose(listener: () => void): () => void;
  /** The connection itself (a `net.Socket`) is given to `take` once the reply is out and the client has said go. */
  handOver(take: (connection: unknown) => void): void;
}

/** `hello` belongs to the channel itself. */
export type ServiceHandlers = {
  [Name in Exclude<MethodName, 'hello'>]: (
    params: Params<Name>,
    session: ServiceSession,
  ) => Promise<Result<ResultOf<Name>>> | Result<ResultOf<Name>>;
};
