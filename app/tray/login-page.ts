/** The page of a login in its window: contents without preload, which go to http and https only, in this one window. */
import {
  BrowserView,
  type BrowserWindow,
  type Event,
  type WebContents,
  WebContentsView,
} from 'electron';
import type { OpenedPortal } from '../contract/portal.ts';
import { forget, isWeb, leadThrough, loginSession } from './login-session.ts';

export interface LoginPage {
  /** Goes to where the login begins, through the port it was given. */
  begin(opened: OpenedPortal): Promise<void>;
  /** Nothing stays of it. */
  forget(): Promise<void>;
}

interface Telling {
  /** host, with the port where it is not the usual one */
  onSite(site: string, isEncrypted: boolean): void;
  onFailed(why: string): void;
}

const aborted = -3;

export async function openLoginPage(
  window: BrowserWindow,
  top: number,
  telling: Telling,
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
  lock(contents);
  tell(contents, telling);
  contents.on('login', (event, _details, { isProxy, host, port }, answer) => {
    event.preventDefault();
    const isOurs = isProxy && host === proxy?.host && port === proxy.port;
    if (isOurs) answer(proxy?.user, proxy?.password);
    else answer();
  });
  return {
    async begin(opened) {
      proxy = opened.proxy;
      await leadThrough(own, opened);
      // what keeps it from loading is told by the event
      await contents.loadURL(opened.url).catch(() => {});
    },
    forget: () => forget(own),
  };
}

/** Below the bar, as wide and high as the window lets it. */
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
  // what wants to keep the person on the page does not
  contents.on('will-prevent-unload', (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    if (isWeb(url)) setImmediate(() => void contents.loadURL(url).catch(() => {}));
    return { action: 'deny' };
  });
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}

function tell(contents: WebContents, { onSite, onFailed }: Telling): void {
  contents.on('did-navigate', (_event, url) => {
    const { host, protocol } = new URL(url);
    onSite(host, protocol === 'https:');
  });
  contents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    if (isMainFrame && code !== aborted) onFailed(description);
  });
}
