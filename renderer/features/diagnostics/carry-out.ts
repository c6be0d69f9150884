/** Carries out a remedy of the service, and says what it did and how to take it back. */
import type { Result } from '../../../app/contract/errors.ts';
import type { RetriedUpstreams } from '../../../app/contract/protection/consent-request.ts';
import type { TakingChange } from '../../../app/contract/protection/taking-words.ts';
import { host } from '../../bridge/host.ts';
import { goTo } from '../../state/route.ts';
import type { Session } from '../../state/session.ts';
import { begin } from '../protect/attempt.ts';
import type { Remedy } from './remedy.ts';

export interface Done {
  what: 'on' | 'silent' | 'reached' | 'inVain' | 'stricter' | 'restored';
  /** a provider or a file; empty where there is none */
  about: string;
  /** null: there is no way back, or none is needed */
  undo: (() => Promise<Result<unknown>>) | null;
}

/** null: nothing was done, or what was done is told elsewhere, in a dialog of its own. */
export async function carryOut(
  session: Session,
  remedy: Exclude<Remedy, { method: 'coverage.fix' }>,
): Promise<Result<Done | null>> {
  switch (remedy.method) {
    case 'system.take':
      return await leadSystem(session, 'take');
    case 'system.giveBack':
      return await leadSystem(session, 'give-back');
    case 'portal.open':
      return await openLogin(session);
    case 'protection.on':
      return await turnOn(session);
    case 'network.set':
      return await beStricter(session);
    case 'settings.restore':
      return mapped(await session.call('settings.restore', {}), ({ file }) =>
        done('restored', file),
      );
    case 'upstream.test':
      return await reach(session, remedy.params);
    case 'upstream.retry':
      return mapped(await session.call('upstream.retry', {}), reachedOrNot);
    case 'consent.retry':
      return mapped(await session.call('consent.retry', remedy.params), reachedOrNot);
  }
}

/** A dialog shows how it goes, and has the way back. */
async function leadSystem(session: Session, change: TakingChange): Promise<Result<null>> {
  await begin(session, change);
  return toldElsewhere;
}

/** Without a window of its own, Home has the words that say what a login in a browser means. */
async function openLogin(session: Session): Promise<Result<null>> {
  if (host.hasLoginWindow()) {
    const opened = await session.call('portal.open', {});
    return opened.ok ? toldElsewhere : opened;
  }
  goTo('home');
  return toldElsewhere;
}

async function turnOn(session: Session): Promise<Result<Done>> {
  const known = await session.call('status.get', {});
  const wasOff = known.ok && known.value.protection.state === 'off';
  const undo = wasOff ? () => session.call('protection.off', {}) : null;
  return mapped(await session.call('protection.on', {}), () => done('on', '', undo));
}

/** Only who may see the networks knows the policy of before. */
async function beStricter(session: Session): Promise<Result<Done>> {
  const listed = await session.call('network.list', {});
  const here = listed.ok ? listed.value.networks.find(({ current }) => current) : undefined;
  const undo = here && (() => session.call('network.set', { policy: here.policy }));
  const set = await session.call('network.set', { policy: 'refuse' });
  return mapped(set, () => done('stricter', '', undo ?? null));
}

/** The test has a connection of its own: the service is told to connect again where it succeeds. */
async function reach(session: Session, params: { id: string }): Promise<Result<Done>> {
  const tested = await session.call('upstream.test', params);
  if (!tested.ok || !tested.value.ok) return mapped(tested, () => done('silent', params.id));
  return mapped(await session.call('upstream.retry', {}), () => done('reached', params.id));
}

function reachedOrNot({ reached }: RetriedUpstreams): Done {
  return reached === null ? done('inVain', '') : done('reached', reached);
}

function done(what: Done['what'], about: string, undo: Done['undo'] = null): Done {
  return { what, about, undo };
}

function mapped<From, To>(result: Result<From>, to: (value: From) => To): Result<To> {
  return result.ok ? { ok: true, value: to(result.value) } : result;
}

const toldElsewhere: Result<null> = { ok: true, value: null };
