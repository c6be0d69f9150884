/**
 * Watches for a network that wants a login. What it finds is what the network says; that it is over is said by an upstream.
 *
 *   a private path stands ──▶ nothing is sent ◀──── an upstream has answered
 *          │ lost, or another network                         │
 *          ▼                                                  │
 *        look, again after 2, 4, 20 s ──▶ found ──▶ … login … ┘
 */
import { isIP } from 'node:net';
import { isPrivate } from '../../contract/upstream-settings.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { PortalFacts } from '../protection/portal-facts.ts';
import type { Protection } from '../protection/protection.ts';
import { hostOf, type Verdict } from './evidence.ts';
import { type Looking, look } from './look.ts';
import type { ManagerView } from './network-manager.ts';
import type { Place } from './place.ts';
import { readApiAddress } from './portal-api.ts';
import { resolveAtNetwork } from './resolve-at-network.ts';
import { pauseBefore, type WatchStep, watchStep } from './watch-step.ts';

export interface WatchParts {
  engine: Pick<EngineDriver, 'status' | 'askNetwork' | 'forgetCaptivity' | 'test'>;
  protection: Pick<Protection, 'view' | 'position' | 'inForce' | 'reconnect'>;
  /** another with every stay on a network */
  stay(): number;
  /** null: nothing leads out of this machine */
  place(): Place | null;
  /** the system's own resolvers, for a link that tells none */
  servers(): string[];
  /** what whoever configures the link says: NetworkManager's view, and the API's address */
  told(place: Place): Promise<{ manager: ManagerView; api: string | null }>;
  /** What the system's own caches learned while captive, where its DNS is led here. */
  flushSystemCaches(): void;
  now(): number;
  onBug(error: unknown): void;
  look?: (looking: Looking) => Promise<Verdict | null>;
}

export interface WatchHooks {
  /** While it is, nothing is looked for: the login's own way is tried instead. */
  isLoginOpen(): boolean;
  /** The network wants no login any more, or is another one. */
  onOver(why: string): void;
  /** In force when it resolves. */
  onFacts(): Promise<void>;
}

export interface Found extends Verdict {
  since: number;
}

export interface PortalWatch {
  /** Something may have changed: engine, network, switch, settings. */
  observe(): void;
  found(): Found | null;
  step(): WatchStep;
  skipped(): boolean;
  skip(skipped: boolean): void;
  facts(): Omit<PortalFacts, 'login'>;
  /** Resolves when it has been looked. */
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
  let looking: { done: Promise<void>; stop: AbortController } | null = null;
  let trying: Promise<boolean> | null = null;
  let ended = false;

  const detect = () => protection.inForce().settings.portal.detect;

  function step(): WatchStep {
    return watchStep({
      detect: detect(),
      on: protection.position().protection === 'on',
      path: protection.view(engine.status()).path.kind,
      hasPlace: parts.place() !== null,
      skipped,
    });
  }

  function observe(): void {
    if (ended) return;
    if (stay !== parts.stay()) {
      stay = parts.stay();
      skipped = false;
      void leave('the network changed');
    }
    const next = step();
    if (next === 'aside' && !skipped) void leave('there is nothing to log in to');
    else if (next === 'private') settleDown();
    else if (hooks.isLoginOpen()) dropTimer();
    else if (next === 'look' && looking === null)
      timer ??= setTimeout(lookNext, pauseBefore(looks));
    void hooks.onFacts();
  }

  /** A private path stands. What was found is over once an upstream has answered, too. */
  function settleDown(): void {
    stopLooking();
    looks = 0;
    if (found !== null) void tryPrivately();
    else asks = null;
  }

  /** What was learned here may have been the portal's doing: forgotten, once nothing more can be learned from it. */
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
    looking?.stop.abort();
  }

  function lookNext(): void {
    timer = null;
    if (looks > 0) void tryPrivately();
    void lookNow();
  }

  /** One at a time. */
  function lookNow(): Promise<void> {
    if (looking !== null) return looking.done;
    const stop = new AbortController();
    const done = lookOnce(stop.signal)
      .catch(parts.onBug)
      .finally(() => {
        looking = null;
        observe();
      });
    looking = { done, stop };
    return done;
  }

  async function lookOnce(signal: AbortSignal): Promise<void> {
    const place = parts.place();
    if (place === null) return;
    const { manager, api: written } = await parts.told(place);
    const api = readApiAddress(written ?? manager.apiAddress ?? '');
    const { probes } = protection.inForce().settings.portal;
    const resolvers = place.resolvers.length > 0 ? place.resolvers : parts.servers();
    const pages = probes.map(({ url }) => url);
    if (signal.aborted) return;
    asks = { resolvers, probes: namesIn(api instanceof URL ? [...pages, api.href] : pages) };
    await hooks.onFacts();
    const verdict =
      api === 'none'
        ? null
        : await (parts.look ?? look)({
            place,
            api,
            managerSaysPortal: manager.saysPortal,
            probes,
            resolve: (name) => resolveAtNetwork(engine, place, name, 'probe'),
            signal,
          });
    if (!signal.aborted) conclude(verdict);
  }

  function conclude(verdict: Verdict | null): void {
    looks++;
    if (verdict !== null) found = { ...verdict, since: found?.since ?? now() };
    else if (found !== null && !hooks.isLoginOpen())
      void leave('the network wants no login any more');
  }

  /** Each private upstream of the default group, over a connection of its own. */
  function tryPrivately(): Promise<boolean> {
    trying ??= tryOnce()
      .catch((error: unknown) => {
        parts.onBug(error);
        return false;
      })
      .finally(() => {
        trying = null;
      });
    return trying;
  }

  async function tryOnce(): Promise<boolean> {
    const { upstreams } = protection.inForce().settings;
    const candidates = upstreams.filter(
      ({ transport, group = '' }) => isPrivate(transport) && group === '',
    );
    const [at, who] = [stay, candidates.map(({ id }) => hasAnswered(id))];
    const answered = (await firstTrue(who)) && at === stay && !ended;
    if (!answered) return false;
    if (found !== null) await leave('a private upstream answered');
    await hooks.onFacts();
    if (step() !== 'private') await protection.reconnect();
    observe();
    return true;
  }

  async function hasAnswered(id: string): Promise<boolean> {
    const tested = await engine.test(id);
    return tested.ok && (tested.value.ok || tested.value.alternative?.ok === true);
  }

  return {
    observe,
    found: () => found,
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
    look: lookNow,
    tryPrivately,
    async end() {
      ended = true;
      stopLooking();
      await looking?.done;
    },
  };
}

function namesIn(urls: readonly string[]): string[] {
  return [...new Set(urls.map(hostOf))].filter((host) => isIP(host) === 0);
}

function firstTrue(answers: readonly Promise<boolean>[]): Promise<boolean> {
  return Promise.any(
    answers.map(async (answer) => {
      if (!(await answer)) throw new Error('no');
    }),
  ).then(
    () => true,
    () => false,
  );
}
