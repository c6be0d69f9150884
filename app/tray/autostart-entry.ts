/** The tray's entry in the list of what starts at login: a file of the Desktop Application Autostart Specification. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';

/** The command, its arguments, and the environment that they need. */
export interface StartCommand {
  command: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function autostartFile(environment: Environment = process.env): string {
  const given = environment['XDG_CONFIG_HOME'];
  const folder = given !== undefined && isAbsolute(given) ? given : join(homedir(), '.config');
  return join(folder, 'autostart', 'sotto.desktop');
}

/** A desktop that turns an entry off keeps the file, and writes `Hidden` or a key of its own into it. */
export function isEnabled(file: string): boolean {
  const entry = readEntry(file);
  if (entry === null) return false;
  return entry.get('Hidden') !== 'true' && entry.get('X-GNOME-Autostart-enabled') !== 'false';
}

/** Throws where it can't be written; then the entry is as it was before. */
export function enable(file: string, start: StartCommand): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = join(dirname(file), `.${basename(file)}.next`);
  try {
    writeFileSync(next, writeEntry(start), { mode: 0o600 });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

export function disable(file: string): void {
  rmSync(file, { force: true });
}

/** An enabled entry whose program is gone gets the present one: an AppImage, or a checkout, that was moved. */
export function followMove(file: string, start: StartCommand): boolean {
  const program = readEntry(file)?.get('TryExec');
  const hasMoved = program !== undefined && program !== start.command && !existsSync(program);
  if (!hasMoved || !isEnabled(file)) return false;
  enable(file, start);
  return true;
}

/** Keys of its main group; null: there is no such file. */
function readEntry(file: string): Map<string, string> | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return null;
  }
  const entry = new Map<string, string>();
  let isMain = false;
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line.startsWith('[')) isMain = line === '[Desktop Entry]';
    const [, key = '', value = ''] = /^([\w-]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (isMain && key !== '') entry.set(key, unescaped(value));
  }
  return entry;
}

/** `TryExec`: where that program is gone, desktops ignore the entry. */
function writeEntry({ command, args, environment }: StartCommand): string {
  const given = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const words = [...(given.length === 0 ? [] : ['env', ...given]), command, ...args];
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sotto',
    'Comment=Private DNS',
    'Comment[de]=Privates DNS',
    'Icon=sotto',
    `TryExec=${escaped(command)}`,
    `Exec=${words.map(quoted).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Desktop Entry Specification, "The Exec key": quoted twice, and a percent sign is a field code. */
function quoted(word: string): string {
  const inner = word.replace(/[\\"`$]/g, (character) => `\\${character}`).replaceAll('%', '%%');
  return `"${escaped(inner)}"`;
}

/** The same, "Possible value types". */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function unescaped(value: string): string {
  return value.replace(/\\([\\nst])/g, (_, character: string) =>
    character === 'n' ? '\n' : character === 's' ? ' ' : character === 't' ? '\t' : '\\',
  );
}
