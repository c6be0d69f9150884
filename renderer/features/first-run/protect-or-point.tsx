/** Step 3: all programs of this computer, in one step; a single program, for whoever wants that. Both may be left out. */
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { ProtectThisComputer, StopProtecting } from '../protect/protect-this-computer.tsx';
import styles from './first-run.module.css';
import { PointPrograms } from './point-programs.tsx';

export function ProtectOrPoint() {
  const { text } = useWords();
  const dns = useStore(useService().status)?.value.systemDns;
  if (dns == null || dns.mechanism === null) return <PointPrograms />;
  const words = text.firstRun.programs;
  const { 'taking-led-here': ledHere, 'protect-means': means } = text.protect;
  return (
    <>
      <p className={styles.text}>{dns.taken ? ledHere : means}</p>
      <div>{dns.taken ? <StopProtecting /> : <ProtectThisComputer variant="main" />}</div>
      <p className={styles.text}>{words.skippable}</p>
      <details>
        <summary>{words.one}</summary>
        <PointPrograms />
      </details>
    </>
  );
}
