/**
 * Watches for a network that wants a login. What it finds is what the network says; that it is over is said by an upstream.
 *
 *   a private path stands ──▶ nothing is sent ◀──── an upstream has answered
 *          │ lost, or another network                         │
 *          ▼                                                  │
 *        look, again after 2, 4, 20 s ──▶ found ──▶ … login … ┘
 */

import { sharedRun } from '../base/shared-run.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { PortalFacts } from '../protection/portal-facts.ts';
import type { Protection } from '../protection/protection.ts';
import { answersPrivately } from './answers-privately.ts';
import type { Verdict } from './evidence.ts';
import { type Looking, look } from './look.ts';
import type { Place } from './place.ts';
import { resolveAtNetwork } from './resolve-at-network.ts';
import { pauseBefore, type WatchFacts, type WatchStep, watchStep } from './watch-step.ts';
import { type Told, whomToAsk } from './whom-to-ask.ts';

export interface WatchParts {
  engine: Pick<EngineDriver, 'status' | 'askNetwork' | 'forgetCaptivity' | 'test'>;
  protection: Pick<Protection, 'view' | 'position' | 'inForce' | 'reconnect'>;
  /** a new number for every stay on a network */
  stay(): number;
  /** null: no link leads out of this machine */
  place(): Place | null;
  /** the system's own resolvers, for a link without any */
  servers(): string[];
  told(place: Place): Promise<Told>;
  /** Forgets what the system's caches learned while captive, where its DNS is led here. */
  flushSystemCaches(): void;
  now(): number;
  onBug(error: unknown): void;
  look?: (looking: Looking) => Promise<Verdict | null>;
  /** A page of a look is requested. */
  onSent?: (url: URL) => void;
}

export interface WatchHooks {
  /** While it is open, no look is made: the login's own private tries take place instead. */
  isLoginOpen(): boolean;
  /** The network wants no login any more, or is another one. */
  onOver(why: string): void;
  /** The facts are in force when it resolves. */
  onFacts(): Promise<void>;
}

export interface Found extends Verdict {
  since: number;
}

export interface PortalWatch {
  /** Something may have changed: engine, network, switch, settings. */
  observe(): void;
  found(): Found | null;
  /** the facts that decide whether to look */
  situation(): WatchFacts;
  step(): WatchStep;
  skipped(): boolean;
  skip(skipped: boolean): void;
  facts(): Omit<PortalFacts, 'login'>;
  /** Resolves when the look is over. */
  look(): Promise<void>;
  /** Resolves to whether a private upstream answered. */
  tryPrivately(): Promise<boolean>;
  end(): Promise<void>;
}

export function watchPortal(parts: WatchParts, hooks: WatchHooks): PortalWatch {
  const { engine, protection, now } = parts;
  let stay = parts.stay();
  let found: Found | null = null;
  let skipped = false;
  /** since no private path stands */
  let looks = 0;
  let asks: PortalFacts['asks'] = null;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const looking = sharedRun(lookOnce, parts.onBug, observe);
  const trying = sharedRun(tryOnce, (error) => {
    parts.onBug(error);
    return false;
  });

  const detect = () => protection.inForce().settings.portal.detect;

  function situation(): WatchFacts {
    return {
      detect: detect(),
      on: protection.position().protection === 'on',
      path: protection.view(engine.status()).path.kind,
      hasPlace: parts.place() !== null,
      skipped,
    };
  }

  const step = () => watchStep(situation());

  function observe(): void {
    if (ended) return;
    noticeNetwork();
    take(step());
    void hooks.onFacts();
  }

  function noticeNetwork(): void {
    if (stay === parts.stay()) return;
    stay = parts.stay();
    skipped = false;
    void leave('the network changed');
  }

  function take(next: WatchStep): void {
    if (next === 'aside' && !skipped) void leave('there is nothing to log in to');
    else if (next === 'private') settleDown();
    else if (hooks.isLoginOpen()) dropTimer();
    else if (next === 'look' && !looking.isUnderWay())
      timer ??= setTimeout(lookNext, pauseBefore(looks));
  }

  /** A private path stands. What was found ends once an upstream has responded, too. */
  function settleDown(): void {
    stopLooking();
    looks = 0;
    if (found !== null) void trying.run();
    else asks = null;
  }

  /** What was learned here may come from the portal, so it is forgotten, once nothing more can be learned from it. */
  async function leave(why: string): Promise<void> {
    const wasFound = found !== null;
    stopLooking();
    looks = 0;
    found = null;
    asks = null;
    hooks.onOver(why);
    if (!wasFound) return;
    await hooks.onFacts();
    engine.forgetCaptivity();
    parts.flushSystemCaches();
  }

  function dropTimer(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  function stopLooking(): void {
    dropTimer();
    looking.stop();
  }

  function lookNext(): void {
    timer = null;
    if (looks > 0) void trying.run();
    void looking.run();
  }

  async function lookOnce(signal: AbortSignal): Promise<void> {
    const place = parts.place();
    if (place === null) return;
    const told = await parts.told(place);
    const { portal, connections } = protection.inForce().settings;
    const { probes } = portal;
    if (signal.aborted) return;
    const plan = whomToAsk(told, place, parts.servers, probes);
    asks = plan.asks;
    await hooks.onFacts();
    const { api } = plan;
    const verdict =
      api === 'none'
        ? null
        : await (parts.look ?? look)({
            place,
            api,
            managerSaysPortal: told.manager.saysPortal,
            probes,
            resolve: (name) => resolveAtNetwork(engine, place, name, 'probe'),
            signal,
            postQuantum: connections.postQuantum,
            ...(parts.onSent && { onSent: parts.onSent }),
          });
    if (!signal.aborted) conclude(verdict);
  }

  function conclude(verdict: Verdict | null): void {
    looks++;
    if (verdict !== null) found = { ...verdict, since: found?.since ?? now() };
    else if (found !== null && !hooks.isLoginOpen())
      void leave('the network wants no login any more');
  }

  async function tryOnce(): Promise<boolean> {
    const at = stay;
    const answered = await answersPrivately(engine, protection.inForce().settings.upstreams);
    if (!answered || at !== stay || ended) return false;
    if (found !== null) await leave('a private upstream answered');
    await hooks.onFacts();
    if (step() !== 'private') await protection.reconnect();
    observe();
    return true;
  }

  return {
    observe,
    found: () => found,
    situation,
    step,
    skipped: () => skipped,
    skip(next) {
      skipped = next;
      if (skipped) stopLooking();
    },
    facts: () => ({
      found: found !== null && !skipped,
      looking: detect() && parts.place() !== null && looks === 0 && !skipped,
      asks,
    }),
    look: looking.run,
    tryPrivately: trying.run,
    async end() {
      ended = true;
      stopLooking();
      await looking.ended();
    },
  };
}
