/** Actions for one query, and the responses that they bring. */
import { useEffect, useRef, useState } from 'react';
import type { DnsMessage } from '../../../app/contract/dns/dns-message.ts';
import type { ResponseOfOne } from '../../../app/contract/probing/ask-each.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { goTo } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { Answer, Answers } from './answers.tsx';
import { digCommand } from './dig-command.ts';
import styles from './row-detail.module.css';

export function RowActions({ event }: { event: QueryEvent }) {
  const { text } = useWords();
  const { session, status } = useService();
  const listening = useStore(status)?.value.listening ?? [];
  const [response, setResponse] = useState<DnsMessage | null>(null);
  const { answers, askEach } = useAnswers();
  const { name, type } = event;
  if (name === '') return null;

  async function askAgain(): Promise<void> {
    const asked = await session.call('query.ask', { name, type });
    if (asked.ok) setResponse(asked.value.response);
    else tellFailure(asked.failure);
  }

  async function copyDig(): Promise<void> {
    const copied = await host.copy(digCommand(name, type, listening[0]));
    if (copied) toast('done', text.queryLog.detail.copied);
  }

  return (
    <>
      <div className={styles.actions}>
        <Button onClick={() => void askAgain()}>{text.queryLog.detail.askAgain}</Button>
        <Button onClick={() => void askEach(name, type)}>{text.queryLog.detail.askEach}</Button>
        <Button onClick={() => goTo('exceptions', { bypass: name })}>
          {text.queryLog.detail.bypass(safe(name))}
        </Button>
        <Button onClick={() => void copyDig()}>{text.queryLog.detail.copyDig}</Button>
      </div>
      <output className={styles.answers}>
        {response === null ? null : <Answer message={response} />}
        {answers === null ? null : <Answers answers={answers} />}
      </output>
    </>
  );
}

/** Every upstream's response as it comes; a new request ends the one before. */
function useAnswers() {
  const { session } = useService();
  const [answers, setAnswers] = useState<readonly ResponseOfOne[] | null>(null);
  const end = useRef(() => {});
  useEffect(() => () => end.current(), []);

  async function askEach(name: string, type: string): Promise<void> {
    end.current();
    const state = session.state.get();
    if (state.is !== 'connected') return;
    const { connection } = state;
    let work: number | null = null;
    const early: { work: number; items: ResponseOfOne[] }[] = [];
    const take = (items: readonly ResponseOfOne[]) =>
      setAnswers((before) => [...(before ?? []), ...items]);
    const stop = connection.on('query.answered', (told) => {
      if (work === null) early.push(told);
      else if (told.work === work) take(told.items);
    });
    end.current = () => {
      stop();
      if (work !== null) void connection.call('work.cancel', { work });
    };
    setAnswers([]);
    const begun = await connection.call('query.askEach', { name, type });
    if (!begun.ok) {
      stop();
      setAnswers(null);
      tellFailure(begun.failure);
      return;
    }
    work = begun.value.work;
    for (const told of early) if (told.work === work) take(told.items);
  }

  return { answers, askEach };
}
