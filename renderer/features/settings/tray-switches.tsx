/** What the tray does by itself; drawn in the tray's window alone, because a browser can't change it. */
import { useEffect, useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import { host } from '../../bridge/host.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { Switch } from '../../components/switch.tsx';
import { offerUndo } from '../../components/undo-toast.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './settings-page.module.css';

export function TraySwitches() {
  const { text } = useWords();
  return (
    <>
      <TraySwitch
        label={text.settings.startAtLogin}
        meaning={text.settings.startMeaning}
        read={host.startsAtLogin}
        write={host.setStartsAtLogin}
      />
      <TraySwitch
        label={text.settings.notices}
        meaning={text.settings.noticesMeaning}
        read={host.showsNotices}
        write={host.setShowsNotices}
      />
    </>
  );
}

interface TraySwitchProps {
  label: string;
  meaning: string;
  /** null: it can't be changed here */
  read(): Promise<boolean | null>;
  write(wanted: boolean): Promise<Result<null>>;
}

function TraySwitch({ label, meaning, read, write }: TraySwitchProps) {
  const { text } = useWords();
  const [on, setOn] = useState<boolean | null>(null);
  useEffect(() => void read().then(setOn), [read]);
  if (on === null) return null;

  async function set(wanted: boolean): Promise<void> {
    const done = await write(wanted);
    setOn(await read());
    if (done.ok) offerUndo(text.settings.saved(label), () => set(!wanted));
    else tellFailure(done.failure);
  }

  return (
    <div className={styles.line}>
      <div>
        <h3>{label}</h3>
        <p className={styles.quiet}>{meaning}</p>
      </div>
      <Switch label={label} showLabel={false} on={on} onChange={(wanted) => void set(wanted)} />
    </div>
  );
}
