/**
 * The window in which a person logs in to a network. Above is a bar that Sotto draws: the host of the page, the time that is
 * left, "I'm through". Below is the page, which is not trusted: login-session.ts says what it may do. The window closes itself
 * when the service is private again. When the window is closed, so is the login.
 */
import { BrowserWindow, type Event } from 'electron';
import type { Result } from '../contract/errors.ts';
import type { ServiceClient } from '../contract/service-api.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import type { OpenedPortal } from '../contract/system/portal.ts';
import { safe } from '../contract/text/visible-text.ts';
import {
  type BarAction,
  type BarState,
  barAction,
  barHeight,
  barPage,
  drawBar,
} from './login-bar.ts';
import { type LoginPage, openLoginPage } from './login-page.ts';
import type { TrayWords } from './text/words.ts';

export interface LoginWindow {
  /** Asks the service for a login and shows it; shows the one that is open, if one is. */
  open(): Promise<Result<OpenedPortal>>;
  /** The service's present status; null: there is no connection to it. */
  follow(status: ServiceStatus | null): void;
}

interface Parts {
  call: ServiceClient['call'];
  words: TrayWords;
  language: string;
}

interface Shown {
  window: BrowserWindow;
  page: LoginPage;
  opened: OpenedPortal;
  /** the service has reported this login; until then its absence says nothing */
  known: boolean;
  isEncrypted: boolean;
  bar: BarState;
}

export function createLoginWindow({ call, words, language }: Parts): LoginWindow {
  let shown: Shown | null = null;
  let opening: Promise<Result<OpenedPortal>> | null = null;
  /** the service's last status, perhaps from before the window was made */
  let heard: ServiceStatus | null = null;

  async function begin(): Promise<Result<OpenedPortal>> {
    const opened = await call('portal.open', {});
    if (!opened.ok) return opened;
    shown ??= await show(opened.value);
    shown.opened = opened.value;
    shown.known = false;
    follow(heard);
    if (shown === null) return opened;
    present(shown);
    void shown.page.begin(opened.value);
    return opened;
  }

  function follow(status: ServiceStatus | null): void {
    if (shown === null) return;
    const login = status?.portal?.login ?? null;
    if (login?.by === 'window') {
      shown.known = true;
      shown.opened = { ...shown.opened, until: login.until };
    } else if (status === null || status.portal === null) shown.window.close();
    else if (shown.known) shown.opened = { ...shown.opened, until: 0 };
    draw({});
  }

  async function show(opened: OpenedPortal): Promise<Shown> {
    const window = makeWindow(words.login.title);
    const page = await openLoginPage(window, barHeight, {
      onLoading: () => draw({ said: words.login.loading }),
      onSite(site, isEncrypted) {
        if (shown !== null) shown.isEncrypted = isEncrypted;
        draw({ site: safe(site), said: '' });
      },
      onFailed: (failure) => draw({ said: safe(words.login.failed(failure)) }),
    });
    lead(window, (action) => void carryOut(action));
    await window.loadURL(barPage(words, language));
    const clock = setInterval(() => draw({}), 1000);
    window.once('closed', () => {
      clearInterval(clock);
      shown = null;
      void page.forget();
      void call('portal.close', {});
    });
    const bar = { site: '', time: '', said: '' };
    return { window, page, opened, known: false, isEncrypted: true, bar };
  }

  async function carryOut(action: BarAction): Promise<void> {
    if (action === 'close') return shown?.window.close();
    if (action === 'again') return void (await begin());
    draw({ said: words.login.checking });
    const checked = await call('portal.check', {});
    if (!checked.ok) draw({ said: safe(checked.failure.message) });
    else if (checked.value.portal !== null) draw({ said: words.login.notYet });
  }

  function draw(news: Partial<BarState>): void {
    if (shown === null) return;
    const left = Math.max(0, shown.opened.until - Date.now());
    shown.bar = { ...shown.bar, time: timeOf(left, shown.isEncrypted), ...news };
    const isOver = left === 0 ? { said: words.login.beginAgain } : {};
    void shown.window.webContents.executeJavaScript(drawBar({ ...shown.bar, ...isOver }));
  }

  function timeOf(left: number, isEncrypted: boolean): string {
    if (left === 0) return words.login.over;
    const clock = words.login.left(clockOf(left));
    return isEncrypted ? clock : `${clock} · ${words.login.inCleartext}`;
  }

  return {
    open() {
      if (shown !== null && shown.opened.until > Date.now()) {
        present(shown);
        return Promise.resolve({ ok: true, value: shown.opened });
      }
      opening ??= begin().finally(() => {
        opening = null;
      });
      return opening;
    },
    follow(status) {
      heard = status;
      follow(status);
    },
  };
}

function present({ window, page }: Shown): void {
  window.show();
  window.focus();
  page.focus();
}

function makeWindow(title: string): BrowserWindow {
  return new BrowserWindow({
    width: 900,
    height: 720,
    // so that the bar has room for the host in every language
    minWidth: 640,
    minHeight: 400,
    title,
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      partition: 'login-bar',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      spellcheck: false,
      devTools: false,
    },
  });
}

/** The bar never leaves its page; the address that it would go to says what was clicked. */
function lead({ webContents }: BrowserWindow, carryOut: (action: BarAction) => void): void {
  webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
  webContents.on('will-navigate', (event: Event, url: string) => {
    event.preventDefault();
    const action = barAction(url);
    if (action !== null) carryOut(action);
  });
}

function clockOf(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
