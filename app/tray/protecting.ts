/**
 * "Protect this computer" from the menu: the service is asked, then the system's authority where this account may not, and a
 * notice says how it ended: refused and why, or that a query of this computer arrived.
 */
import type { Result } from '../contract/errors.ts';
import { isSettled, type Taking, takingOf } from '../contract/protection/taking.ts';
import {
  sayRefusal,
  startHelperOf,
  type TakingChange,
} from '../contract/protection/taking-words.ts';
import { headlineOf } from '../contract/protection/verdict-words.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import { safe } from '../contract/text/visible-text.ts';
import type { SystemAuthority } from '../page/system-authority.ts';
import type { SaidNotice } from './said-notice.ts';
import type { Link } from './service-link.ts';
import type { TrayWords } from './text/words.ts';
import { sayVerdict } from './tray-view.ts';

/** A refusal with a reason and a line for a terminal; names from outside are cut. */
const longestBody = 600;

interface Parts {
  link: Pick<Link, 'call'>;
  authority: SystemAuthority;
  words: TrayWords;
  notify(said: SaidNotice): void;
  now(): number;
}

export interface Protecting {
  begin(change: TakingChange): Promise<void>;
  /** To be called with every status. */
  follow(status: ServiceStatus): void;
}

export function createProtecting({ link, authority, words, notify, now }: Parts): Protecting {
  const sentences = words.protect;
  /** a person asked to be led here, and was not told yet how it ended */
  let isAwaited = false;

  async function change(wanted: TakingChange): Promise<Result<unknown>> {
    const method = wanted === 'take' ? 'system.take' : 'system.giveBack';
    const done = await link.call(method, {});
    if (done.ok || done.failure.code !== 'forbidden') return done;
    return await authority.ask(wanted, new AbortController().signal);
  }

  async function tellRefusal(
    result: Extract<Result<unknown>, { ok: false }>,
    wanted: TakingChange,
  ) {
    const details = await link.call('system.status', {});
    const startHelper = details.ok ? startHelperOf(details.value) : null;
    const { message, remedy } = result.failure;
    const said = sayRefusal(result.failure, wanted, startHelper);
    const reason = said === null || said.withReason ? [`${message}. ${remedy}.`] : [];
    const line = said?.line ?? null;
    const parts = [
      said === null ? [] : [sentences[said.says]],
      reason,
      line === null ? [] : [line],
    ];
    notify(noticeOf(sentences['protect-title-refused'], parts.flat().join(' ')));
  }

  function tell(taking: Taking, { verdict }: ServiceStatus): void {
    const headline = sayVerdict(headlineOf(verdict), { words, now: now() });
    const text = sentences[`taking-${taking}`].replace('{headline}', headline);
    notify(noticeOf(sentences.protect, text));
  }

  function follow(status: ServiceStatus): void {
    const taking = takingOf(status);
    if (!isAwaited || !isSettled(taking)) return;
    isAwaited = false;
    tell(taking, status);
  }

  return {
    async begin(wanted) {
      isAwaited = false;
      const result = await change(wanted);
      if (!result.ok) return await tellRefusal(result, wanted);
      isAwaited = wanted === 'take';
      // The change may have been told before the reply.
      const status = await link.call('status.get', {});
      if (status.ok) follow(status.value);
    },
    follow,
  };
}

function noticeOf(title: string, body: string): SaidNotice {
  return {
    title,
    body: safe(body).slice(0, longestBody),
    action: { do: 'open', page: 'home' },
    buttons: [],
    isQuestion: false,
  };
}
