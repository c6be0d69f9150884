/**
 * Where the tray finds what it shows and starts: the program that starts the tray says so, else the places of an installation
 * hold.
 */
import { dirname, join } from 'node:path';
import { app } from 'electron';
import type { StartCommand } from './autostart-entry.ts';

export interface Places {
  /** built page: index.html and what it needs */
  page: string;
  preload: string;
  marks: string;
  /** the native addon, which the tray uses for D-Bus alone */
  addon: string;
  /** how to start a person's own service; null: only an installed one is used */
  service: { command: string; args: string[] } | null;
  /** how to start this program, for the list of what starts at login; null: it would then find neither page nor service */
  self: StartCommand | null;
}

const program = process.env['SOTTO_PROGRAM'];
const node = process.env['SOTTO_NODE'];
const own = app.getAppPath();
/** In an installation this is electron/resources/app.asar; in a repository it is a folder beside the addon's. */
const above = own.endsWith('.asar') ? join(dirname(own), '..', '..') : dirname(own);

export const places: Places = {
  page: process.env['SOTTO_PAGE'] ?? join(own, 'renderer'),
  preload: join(own, 'preload.cjs'),
  marks: join(own, 'marks'),
  addon: join(above, 'addon', 'sotto.node'),
  service:
    node !== undefined && program !== undefined
      ? { command: node, args: ['--disable-sigusr1', program, 'run', '--guarded'] }
      : null,
  self: ownStart(),
};

/** An AppImage starts by its own file, not by its unpacked content. In a repository whoever starts the tray says what it needs. */
function ownStart(): StartCommand | null {
  const image = process.env['APPIMAGE'];
  if (image !== undefined || app.isPackaged)
    return { command: image ?? process.execPath, args: [], environment: {} };
  const needed = ['SOTTO_HOME', 'SOTTO_NODE', 'SOTTO_PAGE', 'SOTTO_PROGRAM'];
  const given = needed.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const isOfThisStart = (word: string) => word === '--hidden' || word.startsWith('sotto:');
  const args = process.argv.slice(1).filter((word) => !isOfThisStart(word));
  return node === undefined || program === undefined
    ? null
    : { command: process.execPath, args, environment: Object.fromEntries(given) };
}
