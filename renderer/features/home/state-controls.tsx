/** On and off, and the pause that ends by itself. */
import { useMemo } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type { Params } from '../../../app/contract/service-api.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem, MenuLine } from '../../components/menu.tsx';
import { Switch } from '../../components/switch.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { useWords } from '../../text/use-text.ts';
import { begin } from '../protect/attempt.ts';
import { useSettings } from '../upstreams/use-settings.ts';
import { needsCode } from './pause-lock.tsx';
import styles from './state-controls.module.css';
import { type SwitchOf, switchOf } from './switch-of.ts';

const pauses = [5, 15, 60] as const;
const minute = 60_000;
/** Where the band has something to decide instead, the palette pauses. */
const pausable: readonly string[] = ['protected', 'partly', 'not-in-use'];

export function StateControls({ status }: { status: ServiceStatus }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.home.switch;
  const { protection } = status;
  const isOff = protection.state === 'off';
  const isPaused = protection.state === 'paused';
  const { shows, does } = switchOf(status);
  const isByCode = needsCode(useSettings());
  useActions(useSwitchActions(isOff || isPaused, isByCode));
  return (
    <div className={styles.controls}>
      <PauseOrResume status={status} isByCode={isByCode} />
      <Switch
        large
        label={shows === 'half' ? words.partly : words.label}
        showLabel={false}
        on={shows !== 'off'}
        half={shows === 'half'}
        disabled={!live || does === null || (isByCode && does === 'turn-off')}
        onChange={() => does !== null && act(session, does)}
      />
    </div>
  );
}

function PauseOrResume({ status, isByCode }: { status: ServiceStatus; isByCode: boolean }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.home.switch;
  const { protection, verdict } = status;
  const isPaused = protection.state === 'paused';
  if (isPaused || protection.state === 'off')
    return (
      <>
        {isPaused ? <PauseLeft until={protection.until} /> : null}
        <Button variant="main" disabled={!live} onClick={() => turn(session, true)}>
          {isPaused ? words.resume : words.turnOn}
        </Button>
      </>
    );
  return pausable.includes(verdict.is) && !isByCode ? <PauseMenu disabled={!live} /> : null;
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
      <MenuLine />
      <MenuItem onSelect={() => turn(session, false)}>{words.off}</MenuItem>
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
function useSwitchActions(resting: boolean, isByCode: boolean): readonly Action[] {
  const { text, formats } = useWords();
  const { session } = useService();
  return useMemo(() => {
    const words = text.home.switch;
    if (resting) return [{ id: 'on', label: words.on, keys: 'p', run: () => turn(session, true) }];
    if (isByCode) return [];
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
  }, [text, formats, session, resting, isByCode]);
}

async function act(session: Session, what: NonNullable<SwitchOf['does']>): Promise<void> {
  switch (what) {
    case 'turn-on':
      return await turn(session, true);
    case 'turn-off':
      return await turn(session, false);
    case 'protect':
      return void begin(session, 'take');
    case 'stop':
      return tell(await session.call('network.set', { policy: 'refuse' }));
  }
}

function tell(done: Result<unknown>): void {
  if (!done.ok) tellFailure(done.failure);
}

async function turn(session: Session, on: boolean): Promise<void> {
  const done = await session.call(on ? 'protection.on' : 'protection.off', {});
  if (!done.ok) tellFailure(done.failure);
}

async function pause(session: Session, how: Params<'protection.pause'>): Promise<void> {
  const done = await session.call('protection.pause', how);
  if (!done.ok) tellFailure(done.failure);
}
