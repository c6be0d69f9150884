/** Whether the tray starts, hidden, when the person logs in. */
import { app } from 'electron';
import { fail, type Result, succeed } from '../contract/errors.ts';
import { autostartFile, disable, enable, followMove, isEnabled } from './autostart-entry.ts';
import type { Places } from './places.ts';

type Self = Pick<Places, 'self'>;

const hidden = '--hidden';

/** Null: it can't. */
export function startsAtLogin({ self }: Self): boolean | null {
  if (self === null) return null;
  if (process.platform === 'linux') return isEnabled(autostartFile());
  return app.getLoginItemSettings({ path: self.command, args: [...self.args, hidden] }).openAtLogin;
}

export function setStartsAtLogin({ self }: Self, wanted: boolean): Result<null> {
  if (self === null) return cannot('this tray was started by hand', autostartFile());
  const args = [...self.args, hidden];
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: wanted, path: self.command, args });
    return succeed(null);
  }
  return written(() => {
    if (wanted) enable(autostartFile(), { ...self, args });
    else disable(autostartFile());
  });
}

/** To be called at the start of the tray, whose program may have been moved since it was last started. */
export function keepStartAtLogin({ self }: Self): void {
  if (self === null || process.platform !== 'linux') return;
  written(() => followMove(autostartFile(), { ...self, args: [...self.args, hidden] }));
}

function written(write: () => void): Result<null> {
  try {
    write();
    return succeed(null);
  } catch (error) {
    return cannot((error as Error).message, autostartFile());
  }
}

function cannot(why: string, file: string): Result<null> {
  return fail(
    'state-unwritable',
    `whether Sotto starts at login could not be written: ${why}`,
    'free space on the disk, and check who may write there',
    file,
  );
}
