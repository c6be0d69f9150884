/**
 * What the page asks of the tray itself, apart from the service: that the system's authority is asked, that the service is
 * started, that the tray starts at login, and that it shows notices. Each message is checked for its sender; what it holds is one
 * of two words, or a switch.
 */
import { ipcMain, type WebContents } from 'electron';
import { fail, type Result } from '../contract/errors.ts';
import type { SystemAuthority } from '../page/system-authority.ts';
import { channels } from '../preload/channels.ts';
import { isPage, stranger } from './page-channel.ts';
import type { PageWindow } from './page-window.ts';

export interface TrayWishes {
  authority: SystemAuthority;
  startService(): Promise<Result<null>>;
  /** null: this tray can't be started at login */
  startsAtLogin(): boolean | null;
  setStartsAtLogin(wanted: boolean): Result<null>;
  showsNotices(): boolean;
  setShowsNotices(wanted: boolean): Result<null>;
}

export function openPageWishes(window: PageWindow, wishes: TrayWishes): void {
  const asking = new WeakMap<WebContents, AbortController>();

  ipcMain.handle(channels.askAuthority, async (event, change: unknown) => {
    if (!isPage(window, event)) return stranger;
    if (change !== 'take' && change !== 'give-back') return unknown;
    const contents = event.sender;
    const ending = new AbortController();
    const end = () => ending.abort();
    asking.set(contents, ending);
    contents.once('destroyed', end);
    const asked = await wishes.authority.ask(change, ending.signal);
    contents.off('destroyed', end);
    return asked;
  });

  ipcMain.on(channels.stopAsking, (event) => {
    if (isPage(window, event)) asking.get(event.sender)?.abort();
  });

  ipcMain.handle(channels.startService, async (event) =>
    isPage(window, event) ? await wishes.startService() : stranger,
  );

  ipcMain.handle(channels.startAtLogin, (event) =>
    isPage(window, event) ? wishes.startsAtLogin() : null,
  );

  ipcMain.handle(channels.setStartAtLogin, (event, wanted: unknown) => {
    if (!isPage(window, event)) return stranger;
    return typeof wanted === 'boolean' ? wishes.setStartsAtLogin(wanted) : unknown;
  });

  ipcMain.handle(channels.notices, (event) =>
    isPage(window, event) ? wishes.showsNotices() : null,
  );

  ipcMain.handle(channels.setNotices, (event, wanted: unknown) => {
    if (!isPage(window, event)) return stranger;
    return typeof wanted === 'boolean' ? wishes.setShowsNotices(wanted) : unknown;
  });
}

const unknown = fail('params-invalid', 'there is no such wish', 'this is a defect: report it');
