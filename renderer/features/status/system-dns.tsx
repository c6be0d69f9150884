/** Whether the system's own DNS is led here, and the button that changes it; absent where nothing can. */
import type { SystemDnsStatus } from '../../../app/contract/system-dns.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './section.module.css';

export function SystemDns({ of: dns }: { of: SystemDnsStatus | null }) {
  const { text } = useWords();
  if (dns === null || dns.mechanism === null) return null;
  return (
    <section className={styles.section}>
      <h2>{text.systemDns.title}</h2>
      <p>
        <State of={dns} />
      </p>
      {dns.trouble === null ? null : (
        <p>
          <FailureWords failure={dns.trouble} />
        </p>
      )}
      <Change of={dns} />
    </section>
  );
}

function State({ of: { mechanism, taken, wanted, since, givenBackFor } }: { of: SystemDnsStatus }) {
  const { text, formats } = useWords();
  const now = useNow();
  const words = text.systemDns;
  if (taken && mechanism !== null)
    return words.taken(words.mechanisms[mechanism], formats.moment(since ?? now, now));
  if (givenBackFor !== null) return words.givenBackFor[givenBackFor];
  return wanted ? words.wanted : words.own;
}

function Change({ of: { wanted, taken, givenBackFor } }: { of: SystemDnsStatus }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.systemDns;

  async function giveBack(): Promise<void> {
    const done = await session.call('system.giveBack', {});
    if (done.ok) toast('done', words.gaveItBack);
    else tellFailure(done.failure);
  }
  async function take(): Promise<void> {
    const done = await session.call('system.take', {});
    if (!done.ok) return tellFailure(done.failure);
    toast('done', done.value.status?.taken === true ? words.tookIt : words.notYet);
  }

  return (
    <div className={styles.buttons}>
      {wanted && givenBackFor !== 'contested' ? null : (
        <Button disabled={!live} onClick={take}>
          {words.take}
        </Button>
      )}
      {wanted ? (
        <Button disabled={!live} onClick={giveBack}>
          {taken ? words.giveBack : words.leave}
        </Button>
      ) : null}
    </div>
  );
}
