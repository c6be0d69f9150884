/** Whether the system's own DNS is led here, with the buttons that change it; absent where nothing can change it. */
import type { SystemDnsStatus } from '../../../app/contract/system/system-dns.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './section.module.css';

interface SystemDnsProps {
  of: SystemDnsStatus | null;
  /** another part of the page offers to take it */
  isOffered: boolean;
}

export function SystemDns({ of: dns, isOffered }: SystemDnsProps) {
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
      <Change of={dns} isOffered={isOffered} />
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

interface ChangeProps {
  of: SystemDnsStatus;
  isOffered: boolean;
}

function Change({ of: { wanted, givenBackFor }, isOffered }: ChangeProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.systemDns;

  async function giveBack(): Promise<void> {
    const done = await session.call('system.giveBack', {});
    if (done.ok) toast('done', words.gaveItBack);
    else tellFailure(done.failure);
  }

  return (
    <div className={styles.buttons}>
      {isOffered || (wanted && givenBackFor !== 'contested') ? null : <TakeSystemDns />}
      {wanted ? (
        <Button disabled={!live} onClick={giveBack}>
          {words.giveBack}
        </Button>
      ) : null}
    </div>
  );
}

export function TakeSystemDns({ variant = 'plain' }: { variant?: 'plain' | 'main' }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.systemDns;

  async function take(): Promise<void> {
    const done = await session.call('system.take', {});
    if (!done.ok) return tellFailure(done.failure);
    toast('done', done.value.status?.taken === true ? words.tookIt : words.notYet);
  }

  return (
    <Button variant={variant} disabled={!live} onClick={take}>
      {words.take}
    </Button>
  );
}
