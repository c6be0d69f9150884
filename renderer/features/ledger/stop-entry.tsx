/** Ends a permission now, where the service has a method for it. */

import type { Result } from '../../../app/contract/errors.ts';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { isRuleOf, nameOfRule } from '../../../app/contract/settings/bypass-rule.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './ledger.module.css';
import { type WayToStop, wayToStop } from './way-to-stop.ts';

export function StopEntry({ entry }: { entry: LedgerEntry }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const way = wayToStop(entry);
  const words = text.ledger.stop;
  if (way === null)
    return entry.class === 'policy' ? (
      <p className={styles.quiet}>{text.ledger.clearUpstreams}</p>
    ) : null;

  async function stop(by: WayToStop): Promise<void> {
    const done = await stops[by](session, entry);
    if (done.ok) toast('done', text.ledger.stopped);
    else tellFailure(done.failure);
  }

  return (
    <div>
      <Button
        variant="danger"
        disabled={!live}
        aria-label={way === 'bypass' ? words.bypassOf(safe(entry.rule)) : words[way]}
        onClick={() => void stop(way)}
      >
        {words[way]}
      </Button>
    </div>
  );
}

const stops: Record<WayToStop, (session: Session, entry: LedgerEntry) => Promise<Result<unknown>>> =
  {
    policy: (session) => session.call('network.set', { policy: 'refuse' }),
    off: (session) => session.call('protection.on', {}),
    paused: (session) => session.call('protection.on', {}),
    bypass: removeRuleOf,
  };

/** The entry names the rule by its names and its condition. */
async function removeRuleOf(
  session: Session,
  { rule: word }: LedgerEntry,
): Promise<Result<unknown>> {
  const listed = await session.call('rule.list', {});
  if (!listed.ok) return listed;
  const rule = listed.value.rules.find((one) => isRuleOf(word, one));
  return session.call('rule.remove', rule === undefined ? { suffix: word } : nameOfRule(rule));
}
