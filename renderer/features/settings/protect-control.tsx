/** Protecting this computer asks the system's own authority, so it is a button and no switch. */

import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { ProtectThisComputer, StopProtecting } from '../protect/protect-this-computer.tsx';
import styles from './setting-line.module.css';

export function ProtectControl({ on, disabled }: { on: boolean; disabled: boolean }) {
  const { text } = useWords();
  const dns = useStore(useService().status)?.value.systemDns ?? null;
  return (
    <div className={styles.protect}>
      <p>{sayHow(on, dns?.taken === true, text.settings.protecting)}</p>
      {disabled ? null : on ? <StopProtecting /> : <ProtectThisComputer variant="main" />}
    </div>
  );
}

function sayHow(
  on: boolean,
  taken: boolean,
  words: { taken: string; wanted: string; own: string },
): string {
  if (taken) return words.taken;
  return on ? words.wanted : words.own;
}
