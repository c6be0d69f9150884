/** Says when the page shows an earlier state, how old that is, and what happens next. */

import { safe } from '../../app/contract/text/visible-text.ts';
import { commandToStart } from '../features/home/silence.ts';
import { useNow } from '../state/now.ts';
import { useService } from '../state/service.ts';
import type { ConnectionState, Session } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { Rich } from '../text/rich.tsx';
import { useWords } from '../text/use-text.ts';
import { Button } from './button.tsx';
import styles from './connection-bar.module.css';

export function ConnectionBar() {
  const { session } = useService();
  const state = useStore(session.state);
  return (
    <div role="status" aria-live="polite">
      {state.is === 'connecting' || state.is === 'connected' ? null : (
        <div className={styles.bar}>
          {state.is === 'not-let-in' ? <NotLetIn /> : <Waiting state={state} session={session} />}
        </div>
      )}
    </div>
  );
}

function NotLetIn() {
  const { text } = useWords();
  const words = text.frame.connection;
  return (
    <div>
      <strong>{words.notLetIn}</strong>{' '}
      <Rich of={words.notLetInWhy} command={<code>sotto ui</code>} />
    </div>
  );
}

interface WaitingProps {
  state: Extract<ConnectionState, { is: 'waiting' }>;
  session: Session;
}

function Waiting({ state, session }: WaitingProps) {
  const { text, formats } = useWords();
  const now = useNow();
  const words = text.frame.connection;
  const command = commandToStart(state.failure) ?? 'sotto run';
  const wrong = state.failure.code === 'version-mismatch';
  return (
    <>
      <div className={styles.words}>
        <strong>{wrong ? words.mismatch : state.lostAt === null ? words.never : words.lost}</strong>{' '}
        {wrong ? words.mismatchRemedy : null}
        {wrong || state.lostAt === null ? null : words.age(formats.duration(now - state.lostAt))}
        {wrong ? null : (
          <>
            {' '}
            <Rich of={words.start} command={<code>{safe(command)}</code>} />
          </>
        )}
      </div>
      <div className={styles.next}>
        <span aria-live="off">{words.retryIn(formats.countdown(state.retryAt - now))}</span>
        <Button onClick={session.retry}>{words.retry}</Button>
      </div>
    </>
  );
}
