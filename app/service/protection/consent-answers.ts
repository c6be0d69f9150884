/** A person's answers to consent requests. A call returns when the answer is carried out, not before. */

import { fail, type Result, succeed } from '../../contract/errors.ts';
import type {
  ConsentRequest,
  RetriedConsentRequest,
  RetriedUpstreams,
} from '../../contract/protection/consent-request.ts';
import { isPrivate } from '../../contract/settings/upstream-settings.ts';
import type { InOrder } from '../base/in-order.ts';
import { sharedRun } from '../base/shared-run.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Answerer, ConsentRequests } from './consent-requests.ts';
import type { GroupObserver } from './group-observer.ts';
import type { GroupPath } from './group-path.ts';
import { sayWhyNot } from './group-transition.ts';
import type { ProtectionLoop } from './loop.ts';
import { tryPrivatePaths } from './private-path-retry.ts';

export interface Answers {
  allow(id: string, minutes: number, answerer: Answerer): Promise<Result<ConsentRequest>>;
  deny(id: string, answerer: Answerer): Promise<Result<ConsentRequest>>;
  /** Resolves when the result is known. */
  retry(id: string, answerer: Answerer): Promise<Result<RetriedConsentRequest>>;
  /** Tries the private paths of every group again; tells of a group that has none, or else of the default group. */
  retryAll(): Promise<Result<RetriedUpstreams>>;
}

interface Parts {
  engine: Pick<EngineDriver, 'test' | 'reconnect' | 'status'>;
  consentRequests: Pick<ConsentRequests, 'allow' | 'deny' | 'retry' | 'tried' | 'current'>;
  observer: Pick<GroupObserver, 'probed'>;
  loop: ProtectionLoop;
  inTurn: InOrder;
  labelOf(upstreamId: string, effective: EffectiveSettings): string;
  pause(milliseconds: number): Promise<void>;
  onChange(): void;
}

export function createAnswers(parts: Parts): Answers {
  const { engine, consentRequests, loop, inTurn } = parts;

  /** Records an answer, and carries out what follows from it. */
  function answer(
    give: () => Result<ConsentRequest>,
    follow: () => Promise<unknown>,
  ): Promise<Result<ConsentRequest>> {
    return inTurn(async () => {
      const given = give();
      if (!given.ok) return given;
      await follow();
      parts.onChange();
      return succeed({ ...given.value });
    });
  }

  function pathOf(group: string): GroupPath | undefined {
    return loop.facts().groups.find(({ rules }) => rules.id === group)?.path;
  }

  /** Its permission is on disk, or was not needed any more. */
  function isCarriedOut({ group }: ConsentRequest): boolean {
    return (
      loop.facts().exposures.some((entry) => entry.group === group) ||
      pathOf(group)?.kind === 'private'
    );
  }

  /** Resolves to the id of an upstream that a test reached, even if the engine has not reached it yet; else to null. */
  function tryAgain(group: string): Promise<string | null> {
    const { upstreams } = loop.inForce().settings.settings;
    return tryPrivatePaths({
      engine,
      upstreams: upstreams.flatMap((one) =>
        isPrivate(one.transport) && (one.group ?? '') === group ? [one.id] : [],
      ),
      isReached: () => pathOf(group)?.kind === 'private',
      note: parts.observer.probed,
      onSettled: loop.onSettled,
      pause: parts.pause,
    });
  }

  function whatCame(group: string, answered: string | null): RetriedUpstreams {
    const path = pathOf(group);
    const byTest = answered === null ? null : parts.labelOf(answered, loop.inForce().settings);
    const reached = path?.kind === 'private' ? path.upstream : byTest;
    return { reached, whyNot: reached !== null || path === undefined ? '' : sayWhyNot(path) };
  }

  function openRequestOf(group: string): string | null {
    const open = consentRequests.current(group);
    return open?.state === 'open' ? open.id : null;
  }

  async function retryNow(): Promise<Result<RetriedUpstreams>> {
    await inTurn(loop.beginAfresh);
    const groups = loop.facts().groups.map(({ rules }) => rules.id);
    const tried = await Promise.all(
      groups.map(async (group) => ({ group, answered: await tryAgain(group) })),
    );
    return inTurn(async () => {
      await loop.run();
      const came = tried.map(({ group, answered }) => whatCame(group, answered));
      const nothing = { reached: null, whyNot: '' };
      return succeed(came.find(({ reached }) => reached === null) ?? came[0] ?? nothing);
    });
  }

  /** Connections are made anew for everybody, so however many people ask for it, it is done once at a time. */
  const retrying = sharedRun(retryNow, (error) => {
    throw error;
  });

  return {
    async allow(id, minutes, answerer) {
      const allowed = await answer(
        () => consentRequests.allow(id, minutes, answerer),
        () => loop.run(),
      );
      return allowed.ok && !isCarriedOut(allowed.value) ? notInForce(id) : allowed;
    },
    deny: (id, answerer) =>
      answer(
        () => consentRequests.deny(id, answerer),
        () => loop.run(),
      ),
    async retry(id, answerer) {
      const given = await answer(() => consentRequests.retry(id, answerer), loop.beginAfresh);
      if (!given.ok) return given;
      const { group } = given.value;
      const answered = await tryAgain(group);
      return inTurn(async () => {
        consentRequests.tried(id);
        await loop.run();
        const next = openRequestOf(group);
        return succeed({ ...given.value, ...whatCame(group, answered), next });
      });
    },
    retryAll: retrying.run,
  };
}

function notInForce(id: string): Result<never> {
  return fail(
    'state-unwritable',
    'the permission could not be brought into force, so nothing is sent in cleartext',
    'see what is wrong: sotto status',
    id,
  );
}
