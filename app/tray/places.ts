/** Where the tray finds what it shows and starts: told by whoever started it, else where an installation has it. */
import { dirname, join } from 'node:path';
import { app } from 'electron';

export interface Places {
  /** built page: index.html and what it needs */
  page: string;
  preload: string;
  marks: string;
  /** the native addon, of which only the bus is used here */
  addon: string;
  /** how a service of one's own is started; null: only an installed one is used */
  service: { command: string; args: string[] } | null;
  /** how this program is started, for the list of what starts at login */
  self: { command: string; args: string[] };
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
  // an AppImage is started again by its own file, not by what was unpacked of it
  self: {
    command: process.env['APPIMAGE'] ?? process.execPath,
    args: app.isPackaged ? [] : process.argv.slice(1),
  },
};
