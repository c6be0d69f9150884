/** Whether the system's own DNS is led here, with the buttons that change it; absent where nothing can change it. */
import type { SystemDnsStatus } from '../../../app/contract/system/system-dns.ts';
import { FailureWords } from '../../components/failure-words.tsx';
import { LockLine } from '../../components/lock-line.tsx';
import { useNow } from '../../state/now.ts';
import { useWords } from '../../text/use-text.ts';
import { ProtectThisComputer, StopProtecting } from '../protect/protect-this-computer.tsx';
import { useSettings } from '../upstreams/use-settings.ts';
import styles from './section.module.css';

interface SystemDnsProps {
  of: SystemDnsStatus | null;
  /** another part of the page offers to take it */
  isOffered: boolean;
}

export function SystemDns({ of: dns, isOffered }: SystemDnsProps) {
  const { text } = useWords();
  const take = useSettings()?.setting('systemDns.take');
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
      {take?.locked ? <LockLine of={take} /> : <Change of={dns} isOffered={isOffered} />}
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
  return (
    <div className={styles.buttons}>
      {isOffered || (wanted && givenBackFor !== 'contested') ? null : <ProtectThisComputer />}
      {wanted ? <StopProtecting /> : null}
    </div>
  );
}
