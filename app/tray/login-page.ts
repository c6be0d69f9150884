/** The page of a login in its window: web contents without preload, which load only http and https, in this one window. */
import {
  BrowserView,
  type BrowserWindow,
  type Event,
  type WebContents,
  WebContentsView,
} from 'electron';
import type { OpenedPortal } from '../contract/system/portal.ts';
import { forget, isWeb, leadThrough, loginSession } from './login-session.ts';

export interface LoginPage {
  /** Loads the page where the login begins, through the login's port; it tries again by itself where that fails for a moment. */
  begin(opened: OpenedPortal): Promise<void>;
  /** Gives the page the keyboard. */
  focus(): void;
  /** Clears everything that the page stored. */
  forget(): Promise<void>;
}

interface LoginPageEvents {
  onLoading(): void;
  /** host, with the port where it is not the usual one */
  onSite(site: string, isEncrypted: boolean): void;
  onFailed(failure: LoadFailure): void;
}

export interface LoadFailure {
  /** as Chromium names it: ERR_… */
  why: string;
  /** the error is about the certificate, so that another try would not help */
  certificate: boolean;
  triesAgain: boolean;
}

const aborted = -3;
const networkChanged = -21;
/** A machine that has just joined a network changes its addresses, and the gateway is slow to answer. */
const triesAgainAfterMs = [1_000, 3_000, 9_000];
/** A page that was cut off by such a change was not refused: the login begins again, however far the person had come. */
const afterChangeMs = 1_000;

export async function openLoginPage(
  window: BrowserWindow,
  top: number,
  events: LoginPageEvents,
): Promise<LoginPage> {
  const own = await loginSession();
  const contents = placeInside(window, top, {
    session: own,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    spellcheck: false,
    devTools: false,
    safeDialogs: true,
    autoplayPolicy: 'user-gesture-required',
  });
  let proxy: OpenedPortal['proxy'] | null = null;
  let url = '';
  let triesLeft: number[] = [];
  let retry: NodeJS.Timeout | undefined;
  lock(contents);
  exchangeFocus(window.webContents, contents);
  contents.on('did-start-navigation', (_event, _url, isInPlace, isMainFrame) => {
    if (isMainFrame && !isInPlace) events.onLoading();
  });
  contents.on('did-navigate', (_event, address) => {
    const { host, protocol } = new URL(address);
    // a page that is replaced takes the keyboard focus with it
    if (triesLeft.length > 0) contents.focus();
    triesLeft = [];
    events.onSite(host, protocol === 'https:');
  });
  contents.on('did-fail-load', (_event, code, why, _url, isMainFrame) => {
    if (!isMainFrame || code === aborted) return;
    const certificate = code <= -200 && code > -300;
    const pause = certificate ? undefined : (triesLeft.shift() ?? afterChange(code));
    events.onFailed({ why, certificate, triesAgain: pause !== undefined });
    if (pause !== undefined) retry = setTimeout(load, pause);
  });
  window.once('closed', () => clearTimeout(retry));

  // the event reports what keeps it from loading
  async function load(): Promise<void> {
    if (!contents.isDestroyed()) await contents.loadURL(url).catch(() => {});
  }

  // Without a listener, Chromium would offer the portal the certificates of the person's store, or send the only one there is.
  contents.on('select-client-certificate', (event, _url, _certificates, answer) => {
    event.preventDefault();
    (answer as () => void)();
  });
  contents.on('login', (event, _details, { isProxy, host, port }, answer) => {
    event.preventDefault();
    const isOurs = isProxy && host === proxy?.host && port === proxy.port;
    if (isOurs) answer(proxy?.user, proxy?.password);
    else answer();
  });
  return {
    async begin(opened) {
      proxy = opened.proxy;
      url = opened.url;
      triesLeft = [...triesAgainAfterMs];
      clearTimeout(retry);
      await leadThrough(own, opened);
      await load();
    },
    focus: () => contents.focus(),
    forget: () => forget(own),
  };
}

function afterChange(code: number): number | undefined {
  return code === networkChanged ? afterChangeMs : undefined;
}

/** Below the bar, with the width and height that the window leaves. */
function placeInside(
  window: BrowserWindow,
  top: number,
  webPreferences: Electron.WebPreferences,
): WebContents {
  const bounds = () => {
    const [width = 0, height = 0] = window.getContentSize();
    return { x: 0, y: top, width, height: Math.max(0, height - top) };
  };
  const view = makeView(window, webPreferences);
  const { webContents } = view;
  view.setBounds(bounds());
  window.on('resize', () => view.setBounds(bounds()));
  // a view outlives its window
  window.once('closed', () => end(webContents));
  return webContents;
}

function makeView(window: BrowserWindow, webPreferences: Electron.WebPreferences) {
  if (hasViews(window)) {
    const view = new WebContentsView({ webPreferences });
    window.contentView.addChildView(view);
    return view;
  }
  const view = new BrowserView({ webPreferences });
  window.addBrowserView(view);
  return view;
}

/** Since Electron 30. */
function hasViews(window: Partial<BrowserWindow>): boolean {
  return window.contentView !== undefined;
}

/** Before Electron 30, "close" leaves the contents of a view where they are. */
function end(contents: WebContents & { destroy?(): void }): void {
  if (contents.destroy === undefined) contents.close();
  else contents.destroy();
}

function lock(contents: WebContents): void {
  const onlyWeb = (event: Event, url: string) => {
    if (!isWeb(url)) event.preventDefault();
  };
  contents.on('will-navigate', onlyWeb);
  contents.on('will-redirect', onlyWeb);
  contents.on('will-attach-webview', (event) => event.preventDefault());
  // a page can't keep the person from leaving it
  contents.on('will-prevent-unload', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (isWeb(url)) setImmediate(() => void contents.loadURL(url).catch(() => {}));
    return { action: 'deny' };
  });
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}

/** F6 moves the keyboard focus to the other one, as between the panes of a browser. */
function exchangeFocus(bar: WebContents, page: WebContents): void {
  for (const [here, there] of [
    [bar, page],
    [page, bar],
  ] as const)
    here.on('before-input-event', (event, { type, key }) => {
      if (key !== 'F6') return;
      event.preventDefault();
      if (type === 'keyDown') there.focus();
    });
}
