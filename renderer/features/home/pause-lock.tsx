/** Where an organisation wants a code for each pause, Home says so in place of the button. */
import { CopyLine } from '../../components/copy-line.tsx';
import { LockLine } from '../../components/lock-line.tsx';
import { useWords } from '../../text/use-text.ts';
import { type KnownSettings, useSettings } from '../upstreams/use-settings.ts';
import styles from './section.module.css';

const command = 'sotto pause 30m';

export function PauseLock() {
  const { text } = useWords();
  const settings = useSettings();
  if (!needsCode(settings)) return null;
  return (
    <section className={styles.section} aria-label={text.home.switch.pause}>
      <p>
        {text.home.switch.needsCode} <LockLine of={settings?.setting('pause')} />
      </p>
      <CopyLine line={command} />
    </section>
  );
}

/** Not while nothing is known: then the service decides. */
export function needsCode(settings: KnownSettings | null): boolean {
  return settings?.setting('pause')?.value === 'code';
}
