/** The engine behind the contract's types: failures as values, one configuration at a time. */
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { messageOf } from '../base/errno-words.ts';
import type { NetworkWatch } from '../network/network-watch.ts';
import type {
  AuditReport,
  CacheEntry,
  CacheFilter,
  EngineConfig,
  EngineStatus,
  Explanation,
  Json,
  ProbeReport,
  ProbeRequest,
  ResponseOfOne,
  Simulated,
  SupposedAsker,
  SupposedQueries,
} from './boundary.ts';
import { type Engine, type EngineAddon, type EngineOptions, parse, write } from './engine-addon.ts';
import { aboutName, neverResolved, readRefusal } from './engine-refusal.ts';

export interface EngineDriver {
  /** Whole or not at all; calls are carried out in their order. */
  apply(config: EngineConfig): Promise<Result<null>>;
  status(): EngineStatus;
  /** These counts of leases, by ledger entry, are on disk: of those that have ended the engine may forget them. */
  counted(counts: { entry: number; count: number }[]): void;
  /** `event` is one record, to be decoded by the query log. */
  ask(name: string, type: string): Promise<Result<EngineAsked>>;
  /** The same to see whether it works: neither counted nor kept. */
  tryOut(name: string, type: string): Promise<Result<EngineAsked>>;
  test(id: string): Promise<Result<ProbeReport>>;
  /** Of the network's own resolvers: a probe, or a login's name under its lease. */
  askNetwork(name: string, type: string, purpose: 'probe' | 'login'): Promise<Result<DnsMessage>>;
  /** A login is over: forgets what may have been the portal's doing. */
  forgetCaptivity(): void;
  /** What would happen to a query of this asker now, by the policy that would decide it. */
  explain(name: string, type: string, asker?: SupposedAsker): Result<Explanation>;
  /** A configuration beside the one in force, to be asked about many queries. */
  suppose(config: EngineConfig): Promise<Result<Supposition>>;
  /** By that upstream's own connection, past cache and failover. */
  askUpstream(id: string, name: string, type: string): Promise<Result<DecodedResponse>>;
  /** One query to one server over a fresh connection, at its addresses in their order until one responds. */
  probe(query: { name: string; type: string }, server: ProbedServer): Promise<Result<ProbeReport>>;
  /** Which programs reach addresses that no response gave; null: no audit is wanted. */
  audit(): Promise<AuditReport | null>;
  /** Begins the audit anew, without what it knows. */
  forgetAudit(): void;
  /** All of it without a filter. Resolves to the number of entries removed. */
  flushCache(filter?: CacheFilter): Result<number>;
  showCache(name: string): Result<CacheEntry[]>;
  /** A name of our own, with its last dot, that is answered here by whichever way it comes in. */
  expectProbe(): string;
  /** Whether it came in; nothing is known of it afterwards. */
  probeArrived(name: string): boolean;
  /**
   * Forgets what lets this upstream, or all, recognise us, and with `evidence` also what it has proved, without which no attack on it
   * is seen; returns the number of tickets.
   */
  forget(what: { id: string | undefined; evidence: boolean }): number;
  /** Abandons connections that may have died unnoticed. */
  reconnect(): Promise<void>;
  /** Resolves when `onEvents` has got the events of all queries that have been responded to. */
  handOver(): Promise<void>;
  /** Answers what is in flight and delivers the last events; once, however often it is called. */
  stop(): Promise<void>;
}

const nobodyKnown: SupposedAsker = { user: null, unit: null };

/** What becomes of queries now, and what would become of them. */
export interface Supposition {
  /** Decides about these, too, on a thread that no query waits for. */
  add(queries: Json<SupposedQueries>): Promise<void>;
  result(): Simulated;
  /** Lets go of the configuration. */
  end(): void;
}

interface EngineAsked {
  response: DnsMessage;
  event: Buffer;
}

/** By one upstream alone; its response decoded, where it can be shown. */
type DecodedResponse = Omit<ResponseOfOne, 'response'> & { response: DnsMessage | null };

/** A server to be asked once, at its addresses in their order. */
export type ProbedServer = Pick<ProbeRequest, 'transport' | 'addresses' | 'names' | 'timeoutMs'> &
  Partial<
    Pick<
      ProbeRequest,
      'proxy' | 'pins' | 'certificatePins' | 'ca' | 'starttls' | 'encdns' | 'postQuantum'
    >
  >;

interface EngineListener {
  onEvents(batch: Buffer): void;
  onChange(): void;
}

export function startEngine(
  addon: EngineAddon,
  listener: EngineListener,
  options?: EngineOptions,
  warnedBy?: Pick<NetworkWatch, 'warn'>,
  knownPrivate: readonly string[] = [],
): EngineDriver {
  const engine = new addon.Engine(
    (batch) => {
      if (batch.length > 0) return listener.onEvents(batch);
      marked?.resolve();
      marked = null;
    },
    () => listener.onChange(),
    options,
  );
  /** A mark at a time is under way among the events; who comes later needs one of his own. */
  let marked: PromiseWithResolvers<void> | null = null;
  warnedBy?.warn(engine);
  let lastApply: Promise<unknown> = Promise.resolve();
  let stopped: Promise<void> | null = null;
  /** The status is asked for several times a second, and at rest nothing in it changes. */
  let told: { text: Json<EngineStatus>; status: EngineStatus } | null = null;
  let known: readonly string[] = knownPrivate;

  function encode(name: string, type: string): Result<Buffer> {
    try {
      return succeed(addon.encodeQuery(name, type));
    } catch (error) {
      return fail('bad-query', messageOf(error), 'correct the name or the type');
    }
  }

  /** Null: it is no message that can be shown. */
  function decode(response: Buffer): DnsMessage | null {
    try {
      return parse(addon.describe(response));
    } catch {
      return null;
    }
  }

  async function askBy(
    way: Engine['ask'],
    name: string,
    type: string,
  ): Promise<Result<EngineAsked>> {
    const query = encode(name, type);
    if (!query.ok) return query;
    try {
      const { response, event } = await way(query.value);
      return succeed({ response: parse(addon.describe(response)), event });
    } catch (error) {
      return fail('engine-failed', messageOf(error), 'ask again; see "sotto status"');
    }
  }

  async function applyNow(config: EngineConfig): Promise<Result<null>> {
    try {
      await engine.apply(write({ ...config, knownPrivate: [...known] }));
      known = [];
      return succeed(null);
    } catch (error) {
      return { ok: false, failure: readRefusal(error) };
    }
  }

  return {
    apply(config) {
      const applied = lastApply.then(() => applyNow(config));
      lastApply = applied;
      return applied;
    },

    counted: (counts) => engine.counted(counts),
    status() {
      const text = engine.status();
      if (text !== told?.text) told = { text, status: parse(text) };
      return told.status;
    },

    ask: (name, type) => askBy((query) => engine.ask(query), name, type),
    tryOut: (name, type) => askBy((query) => engine.tryOut(query), name, type),

    explain(name, type, asker = nobodyKnown) {
      const query = encode(name, type);
      if (!query.ok) return query;
      const said = engine.explain(query.value, write(asker));
      return said === null ? neverResolved(type) : succeed(parse(said));
    },

    async suppose(config) {
      try {
        const supposed = await engine.suppose(write(config));
        return succeed({
          add: (queries) => supposed.add(queries),
          result: () => parse(supposed.result()),
          end: () => supposed.end(),
        });
      } catch (error) {
        return { ok: false, failure: readRefusal(error) };
      }
    },

    async askUpstream(id, name, type) {
      const query = encode(name, type);
      if (!query.ok) return query;
      const said = await engine.askUpstream(id, query.value);
      if (said === null)
        return fail('bad-query', `${id} may not hear this name now`, 'ask again', 'name');
      const { response, ...rest } = parse(said);
      return succeed({
        ...rest,
        response: response === null ? null : decode(Buffer.from(response, 'base64')),
      });
    },

    async probe({ name, type }, server) {
      const encoded = encode(name, type);
      if (!encoded.ok) return encoded;
      const request: ProbeRequest = {
        proxy: null,
        pins: [],
        certificatePins: [],
        ca: null,
        encdns: null,
        starttls: 'compat',
        ...server,
        query: encoded.value.toString('base64'),
      };
      try {
        return succeed(parse(await addon.probe(write(request), () => {})));
      } catch (error) {
        return fail('engine-failed', messageOf(error), 'see "sotto doctor"', server.addresses[0]);
      }
    },

    async askNetwork(name, type, purpose) {
      const query = encode(name, type);
      if (!query.ok) return query;
      const response = decode(await engine.askNetwork(query.value, purpose === 'login'));
      if (response !== null) return succeed(response);
      return fail('engine-failed', "the network's resolvers did not answer", 'try again', name);
    },

    forgetCaptivity: () => engine.forgetCaptivity(),

    async test(id) {
      try {
        return succeed(parse(await engine.testUpstream(id)));
      } catch (error) {
        return fail('engine-failed', messageOf(error), 'see "sotto upstream list"', id);
      }
    },

    async audit() {
      const report = await engine.audit();
      return report === null ? null : parse(report);
    },
    forgetAudit: () => engine.forgetAudit(),

    flushCache: (filter) =>
      aboutName(() => engine.flushCache(filter === undefined ? undefined : write(filter))),

    showCache: (name) => aboutName(() => parse(engine.showCache(name))),

    expectProbe: () => engine.expectProbe(),
    probeArrived: (name) => engine.probeArrived(name),

    forget({ id, evidence }) {
      const tickets = engine.forgetUpstream(id, evidence);
      listener.onChange();
      return tickets;
    },

    reconnect: async () => engine.reconnect(),

    async handOver() {
      while (marked !== null) await marked.promise;
      marked = Promise.withResolvers();
      const { promise } = marked;
      await engine.markEvents();
      await promise;
    },

    stop() {
      stopped ??= engine.stop();
      return stopped;
    },
  };
}
