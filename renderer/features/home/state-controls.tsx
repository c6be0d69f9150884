/** On and off, and the pause that ends by itself. */
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type { PauseChallenge } from '../../../app/contract/protection/pause-code.ts';
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

/** Few computers ever need it. */
const PauseCode = lazy(() =>
  import('./pause-code.tsx').then((file) => ({ default: file.PauseCode })),
);
/** Called with what the help desk has to hear, where a pause needs its code. */
type AskHelpDesk = (asked: PauseChallenge) => void;
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
  const [asked, askHelpDesk] = useState<PauseChallenge | null>(null);
  const isByCode = needsCode(useSettings());
  useActions(useSwitchActions({ resting: isOff || isPaused, isByCode, askHelpDesk }));
  return (
    <div className={styles.controls}>
      <PauseOrResume status={status} isByCode={isByCode} askHelpDesk={askHelpDesk} />
      <Switch
        large
        label={shows === 'half' ? words.partly : words.label}
        showLabel={false}
        on={shows !== 'off'}
        half={shows === 'half'}
        disabled={!live || does === null || (isByCode && does === 'turn-off')}
        onChange={() => does !== null && act(session, does)}
      />
      <AskedCode asked={asked} onClose={() => askHelpDesk(null)} />
    </div>
  );
}

function AskedCode({ asked, onClose }: { asked: PauseChallenge | null; onClose(): void }) {
  if (asked === null) return null;
  return (
    <Suspense fallback={null}>
      <PauseCode asked={asked} onClose={onClose} />
    </Suspense>
  );
}

interface PauseProps {
  /** a pause needs a code, and nobody switches off */
  isByCode: boolean;
  askHelpDesk: AskHelpDesk;
}

function PauseOrResume({ status, ...props }: PauseProps & { status: ServiceStatus }) {
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
  return pausable.includes(verdict.is) ? <PauseMenu disabled={!live} {...props} /> : null;
}

function PauseMenu({ disabled, isByCode, askHelpDesk }: PauseProps & { disabled: boolean }) {
  const { text, formats } = useWords();
  const { session } = useService();
  const words = text.home.switch;
  return (
    <Menu label={words.pause} disabled={disabled}>
      {pauses.map((minutes) => (
        <MenuItem key={minutes} onSelect={() => pause(session, { minutes }, askHelpDesk)}>
          {words.forDuration(formats.duration(minutes * minute))}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => pause(session, { untilRestart: true }, askHelpDesk)}>
        {words.untilRestart}
      </MenuItem>
      {isByCode ? null : (
        <>
          <MenuLine />
          <MenuItem onSelect={() => turn(session, false)}>{words.off}</MenuItem>
        </>
      )}
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
function useSwitchActions({
  resting,
  isByCode,
  askHelpDesk,
}: PauseProps & { resting: boolean }): readonly Action[] {
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
        run: () => pause(session, { minutes }, askHelpDesk),
      })),
      {
        id: 'pause-restart',
        label: words.pauseUntilRestart,
        run: () => pause(session, { untilRestart: true }, askHelpDesk),
      },
      ...(isByCode ? [] : [{ id: 'off', label: words.off, run: () => turn(session, false) }]),
    ];
  }, [text, formats, session, resting, isByCode, askHelpDesk]);
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

async function pause(
  session: Session,
  how: Params<'protection.pause'>,
  askHelpDesk: AskHelpDesk,
): Promise<void> {
  const done = await session.call('protection.pause', how);
  if (done.ok) return;
  if (done.failure.code !== 'pause-code-needed' || !('minutes' in how))
    return tellFailure(done.failure);
  const asked = await session.call('pause.challenge', { minutes: Math.ceil(how.minutes) });
  if (asked.ok) askHelpDesk(asked.value);
  else tellFailure(asked.failure);
}
