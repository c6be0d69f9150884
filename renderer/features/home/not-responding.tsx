/** The band while the service does not answer: since when, what that means, and the way to start it. */
import { useState } from 'react';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { CopyLine } from '../../components/copy-line.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { useNow } from '../../state/now.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { commandToStart, silenceOf } from './silence.ts';
import styles from './state-sentence.module.css';

interface NotRespondingProps {
  /** what the service said last; null: nothing */
  last: ServiceStatus | null;
  /** its headline then */
  headline?: string;
}

export function NotResponding({ last, headline }: NotRespondingProps) {
  const { text, formats } = useWords();
  const now = useNow();
  const state = useStore(useService().session.state);
  const words = text.home.silent;
  const lostAt = 'lostAt' in state ? state.lostAt : null;
  const command = state.is === 'waiting' ? commandToStart(state.failure) : null;
  return (
    <div className={styles.state}>
      <StateMark of="not-responding" size={72} />
      <div className={styles.words}>
        <h1>{text.home.notResponding}</h1>
        <p className={styles.sentence}>
          {last === null || lostAt === null
            ? text.home.unknown
            : words[silenceOf(last)](formats.moment(lostAt, now))}
        </p>
        {headline === undefined ? null : (
          <p className={styles.exception}>{text.home.lastKnown(headline)}</p>
        )}
        {host.canStartService() || command === null ? null : (
          <div className={styles.command}>
            <CopyLine line={command} />
          </div>
        )}
      </div>
    </div>
  );
}

/** Only the tray can start the service; in a browser there is a command to copy. */
export function Start() {
  const { text } = useWords();
  const { session } = useService();
  const [starting, setStarting] = useState(false);
  if (!host.canStartService()) return null;

  async function start(): Promise<void> {
    setStarting(true);
    const started = await host.startService();
    setStarting(false);
    if (!started.ok) return tellFailure(started.failure);
    session.retry();
  }

  return (
    <Button variant="main" disabled={starting} onClick={() => void start()}>
      {starting ? text.home.silent.starting : text.home.silent.start}
    </Button>
  );
}
