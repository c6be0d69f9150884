/** The engine behind the contract's types: failures as values, its JSON validated, one configuration at a time. */

import { z } from 'zod';
import { type DnsMessage, dnsMessage } from '../../contract/dns/dns-message.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { type AnswerOfOne, answerOfOne } from '../../contract/probing/ask-each.ts';
import { type ProbeReport, probeReport } from '../../contract/probing/probe-report.ts';
import { explanation } from '../../contract/settings/rule-methods.ts';
import type { UpstreamTransport } from '../../contract/settings/upstream-settings.ts';
import { type CacheEntry, cacheEntry } from '../../contract/status/cache-entry.ts';
import type { NetworkWatch } from '../network/network-watch.ts';
import type { EngineConfig } from './compile-config.ts';
import type { Engine, EngineAddon, EngineOptions } from './engine-addon.ts';
import { aboutName, neverResolved, readRefusal, sayError } from './engine-refusal.ts';
import { type EngineStatus, engineStatus } from './engine-status.ts';

/** Fields unknown here are left out, as in `engineStatus`. */
const cacheEntries = z.array(z.object(cacheEntry.shape));

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
  /** What would happen to a question now, by the policy that would decide it. */
  explain(name: string, type: string): Result<EngineExplanation>;
  /** By that upstream's own connection, past cache and failover. */
  askUpstream(id: string, name: string, type: string): Promise<Result<EngineAnswerOfOne>>;
  /** One question to one server over a fresh connection, at its addresses in their order until one answers. */
  probe(
    question: { name: string; type: string },
    server: ProbedServer,
  ): Promise<Result<ProbeReport>>;
  /** Resolves to the number of entries removed. */
  flushCache(filter: CacheFilter): Result<number>;
  showCache(name: string): Result<CacheEntry[]>;
  /** A name of our own, with its last dot, that is answered here by whichever way it comes in. */
  expectProbe(): string;
  /** Whether it came in; nothing is known of it afterwards. */
  probeArrived(name: string): boolean;
  /** Drops what tells it, or all upstreams, that we were here before; the number of tickets there were. */
  forget(id?: string): number;
  /** Abandons connections that may have died unnoticed. */
  reconnect(): Promise<void>;
  /** Answers what is in flight and delivers the last events; once, however often it is called. */
  stop(): Promise<void>;
}

interface EngineAsked {
  reply: DnsMessage;
  event: Buffer;
}

/** Of a group only its id. */
const engineExplanation = z.object({
  ...explanation.omit({ sentence: true, group: true, origin: true }).shape,
  group: z.string().nullable(),
});
export type EngineExplanation = z.infer<typeof engineExplanation>;

const engineAnswerOfOne = z.object({
  ...answerOfOne.omit({ upstream: true, differs: true, reply: true }).shape,
  /** base64 */
  reply: z.string().nullable(),
});
type EngineAnswerOfOne = Omit<AnswerOfOne, 'upstream' | 'differs'>;

export interface ProbedServer {
  transport: UpstreamTransport;
  /** ip:port, in order of preference; not empty */
  addresses: readonly string[];
  /** SOCKS5, ip:port */
  proxy?: string;
  names: readonly string[];
  timeoutMs: number;
}

/** One name, everything at and below a suffix, or all. */
export interface CacheFilter {
  name?: string | undefined;
  suffix?: string | undefined;
}

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
    (batch) => listener.onEvents(batch),
    () => listener.onChange(),
    options,
  );
  warnedBy?.warn(engine);
  let lastApply: Promise<unknown> = Promise.resolve();
  let stopped: Promise<void> | null = null;
  let known: readonly string[] = knownPrivate;

  function encode(name: string, type: string): Result<Buffer> {
    try {
      return succeed(addon.encodeQuestion(name, type));
    } catch (error) {
      return fail('bad-question', sayError(error), 'correct the name or the type');
    }
  }

  /** Null: it is no message that can be shown. */
  function decode(reply: Buffer): DnsMessage | null {
    try {
      return dnsMessage.parse(JSON.parse(addon.describe(reply)));
    } catch {
      return null;
    }
  }

  async function askBy(
    way: Engine['ask'],
    name: string,
    type: string,
  ): Promise<Result<EngineAsked>> {
    const question = encode(name, type);
    if (!question.ok) return question;
    try {
      const { reply, event } = await way(question.value);
      return succeed({ reply: dnsMessage.parse(JSON.parse(addon.describe(reply))), event });
    } catch (error) {
      return fail('engine-failed', sayError(error), 'ask again; see "sotto status"');
    }
  }

  async function applyNow(config: EngineConfig): Promise<Result<null>> {
    try {
      await engine.apply(
        JSON.stringify(known.length === 0 ? config : { ...config, knownPrivate: known }),
      );
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
    status: () => engineStatus.parse(JSON.parse(engine.status())),

    ask: (name, type) => askBy((question) => engine.ask(question), name, type),
    tryOut: (name, type) => askBy((question) => engine.tryOut(question), name, type),

    explain(name, type) {
      const question = encode(name, type);
      if (!question.ok) return question;
      const said = engine.explain(question.value);
      return said === null
        ? neverResolved(type)
        : succeed(engineExplanation.parse(JSON.parse(said)));
    },

    async askUpstream(id, name, type) {
      const question = encode(name, type);
      if (!question.ok) return question;
      const said = await engine.askUpstream(id, question.value);
      if (said === null)
        return fail('bad-question', `${id} may not hear this name now`, 'ask again', 'name');
      const { reply, ...answer } = engineAnswerOfOne.parse(JSON.parse(said));
      return succeed({
        ...answer,
        reply: reply === null ? null : decode(Buffer.from(reply, 'base64')),
      });
    },

    async probe({ name, type }, server) {
      const encoded = encode(name, type);
      if (!encoded.ok) return encoded;
      const request = { ...server, question: encoded.value.toString('base64') };
      try {
        const report = await addon.probe(JSON.stringify(request), () => {});
        return succeed(probeReport.parse(JSON.parse(report)));
      } catch (error) {
        return fail('engine-failed', sayError(error), 'see "sotto doctor"', server.addresses[0]);
      }
    },

    async askNetwork(name, type, purpose) {
      const question = encode(name, type);
      if (!question.ok) return question;
      const reply = decode(await engine.askNetwork(question.value, purpose === 'login'));
      if (reply !== null) return succeed(reply);
      return fail('engine-failed', "the network's resolvers did not answer", 'try again', name);
    },

    forgetCaptivity: () => engine.forgetCaptivity(),

    async test(id) {
      try {
        return succeed(probeReport.parse(JSON.parse(await engine.testUpstream(id))));
      } catch (error) {
        return fail('engine-failed', sayError(error), 'see "sotto upstream list"', id);
      }
    },

    flushCache(filter) {
      const all = filter.name === undefined && filter.suffix === undefined;
      return aboutName(() => engine.flushCache(all ? undefined : JSON.stringify(filter)));
    },

    showCache: (name) => aboutName(() => cacheEntries.parse(JSON.parse(engine.showCache(name)))),

    expectProbe: () => engine.expectProbe(),
    probeArrived: (name) => engine.probeArrived(name),

    forget(id) {
      const tickets = engine.forgetUpstream(id);
      listener.onChange();
      return tickets;
    },

    reconnect: async () => await engine.reconnect?.(),

    stop() {
      stopped ??= engine.stop();
      return stopped;
    },
  };
}
