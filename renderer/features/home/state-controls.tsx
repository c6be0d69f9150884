/** On and off, and the pause that ends by itself. */
import { useMemo } from 'react';
import type { ProtectionState } from '../../../app/contract/protection/protection-state.ts';
import type { Params } from '../../../app/contract/service-api.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Switch } from '../../components/switch.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './state-controls.module.css';

const pauses = [5, 15, 60] as const;
const minute = 60_000;

export function StateControls({ protection }: { protection: ProtectionState }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.home.switch;
  const isOff = protection.state === 'off';
  const isPaused = protection.state === 'paused';
  useActions(useSwitchActions(isOff || isPaused));
  return (
    <div className={styles.controls}>
      {isPaused ? <PauseLeft until={protection.until} /> : null}
      {isPaused ? (
        <Button variant="main" disabled={!live} onClick={() => turn(session, true)}>
          {words.resume}
        </Button>
      ) : null}
      {isOff || isPaused ? null : <PauseMenu disabled={!live} />}
      <Switch
        label={words.label}
        on={!isOff && !isPaused}
        disabled={!live}
        onChange={(on) => turn(session, on)}
      />
    </div>
  );
}

function PauseMenu({ disabled }: { disabled: boolean }) {
  const { text, formats } = useWords();
  const { session } = useService();
  const words = text.home.switch;
  return (
    <Menu label={words.pause} disabled={disabled}>
      {pauses.map((minutes) => (
        <MenuItem key={minutes} onSelect={() => pause(session, { minutes })}>
          {words.forDuration(formats.duration(minutes * minute))}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => pause(session, { untilRestart: true })}>
        {words.untilRestart}
      </MenuItem>
    </Menu>
  );
}

function PauseLeft({ until }: { until: number | null }) {
  const { text, formats } = useWords();
  const now = useNow();
  if (until === null) return null;
  return (
    <span className={styles.left}>{text.home.switch.left(formats.countdown(until - now))}</span>
  );
}

/** P pauses for the shortest time, and resumes. */
function useSwitchActions(resting: boolean): readonly Action[] {
  const { text, formats } = useWords();
  const { session } = useService();
  return useMemo(() => {
    const words = text.home.switch;
    if (resting) return [{ id: 'on', label: words.on, keys: 'p', run: () => turn(session, true) }];
    return [
      ...pauses.map((minutes, index) => ({
        id: `pause-${minutes}`,
        label: words.pauseFor(formats.duration(minutes * minute)),
        ...(index === 0 ? { keys: 'p' } : {}),
        run: () => pause(session, { minutes }),
      })),
      {
        id: 'pause-restart',
        label: words.pauseUntilRestart,
        run: () => pause(session, { untilRestart: true }),
      },
      { id: 'off', label: words.off, run: () => turn(session, false) },
    ];
  }, [text, formats, session, resting]);
}

async function turn(session: Session, on: boolean): Promise<void> {
  const done = await session.call(on ? 'protection.on' : 'protection.off', {});
  if (!done.ok) tellFailure(done.failure);
}

async function pause(session: Session, how: Params<'protection.pause'>): Promise<void> {
  const done = await session.call('protection.pause', how);
  if (!done.ok) tellFailure(done.failure);
}
