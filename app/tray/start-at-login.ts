/** Whether the tray starts, hidden, when the person logs in. Linux: a file of the XDG autostart specification. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { app } from 'electron';
import type { Places } from './places.ts';

const hidden = '--hidden';

export function startsAtLogin({ self }: Pick<Places, 'self'>): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile());
  return app.getLoginItemSettings({ path: self.command, args: [...self.args, hidden] }).openAtLogin;
}

export function setStartsAtLogin({ self }: Pick<Places, 'self'>, wanted: boolean): void {
  const { command, args } = self;
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: wanted, path: command, args: [...args, hidden] });
  } else if (wanted) {
    mkdirSync(dirname(autostartFile()), { recursive: true });
    writeFileSync(autostartFile(), desktopEntry([command, ...args, hidden]));
  } else {
    rmSync(autostartFile(), { force: true });
  }
}

function autostartFile(): string {
  const given = process.env['XDG_CONFIG_HOME'];
  const folder = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.config');
  return join(folder, 'autostart', 'sotto.desktop');
}

function desktopEntry(words: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sotto',
    'Comment=Private DNS',
    `Exec=${words.map(quoted).join(' ')}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Desktop Entry Specification, "The Exec key": quoted twice, and a percent sign is a field code. */
function quoted(word: string): string {
  const inner = word.replace(/[\\"`$]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return `"${inner.replaceAll('\\', '\\\\')}"`;
}
