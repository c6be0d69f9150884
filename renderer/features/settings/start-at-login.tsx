/** Whether the tray starts with the person's session; drawn in the tray's window alone, because nothing else can be started. */
import { useEffect, useState } from 'react';
import { host } from '../../bridge/host.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { Switch } from '../../components/switch.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './settings-page.module.css';

export function StartAtLogin() {
  const { text } = useWords();
  const [starts, setStarts] = useState<boolean | null>(null);
  useEffect(() => void host.startsAtLogin().then(setStarts), []);
  if (starts === null) return null;

  async function set(wanted: boolean): Promise<void> {
    const done = await host.setStartsAtLogin(wanted);
    if (!done.ok) tellFailure(done.failure);
    setStarts(await host.startsAtLogin());
  }

  return (
    <div className={styles.line}>
      <div>
        <h3>{text.settings.startAtLogin}</h3>
        <p className={styles.quiet}>{text.settings.startMeaning}</p>
      </div>
      <Switch
        label={text.settings.startAtLogin}
        showLabel={false}
        on={starts}
        onChange={(wanted) => void set(wanted)}
      />
    </div>
  );
}
