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

interface StopEntryProps {
  entry: LedgerEntry;
  /** where the page removes the entry's rule, and can undo it */
  remove?: () => void;
  /** where the page says itself what was done */
  onStopped?: (words: string) => void;
}

export function StopEntry({ entry, remove, onStopped }: StopEntryProps) {
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
    if (by === 'bypass' && remove !== undefined) return remove();
    const done = await stops[by](session, entry);
    if (!done.ok) return tellFailure(done.failure);
    if (onStopped === undefined) toast('done', text.ledger.stopped);
    else onStopped(text.ledger.stopped);
  }

  return (
    <div>
      <Button
        variant="danger"
        disabled={!live}
        aria-label={way === 'bypass' ? words.bypass(safe(entry.rule)) : words[way]}
        onClick={() => void stop(way)}
      >
        {words.action}
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
  const learned = listed.value.claims.find(
    ({ suffix, state }) => suffix === word && state === 'believed',
  );
  if (rule === undefined && learned !== undefined)
    return session.call('rule.answer', { suffix: word, link: learned.link, believe: false });
  return session.call('rule.remove', rule === undefined ? { suffix: word } : nameOfRule(rule));
}
