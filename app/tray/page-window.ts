/**
 * The window with the page: a sandboxed renderer that can reach only the page's own files and the channel to the service. It is
 * made when a person opens it, and gone when it is closed; the tray goes on without it.
 */
import { app, BrowserWindow, type Session, session, type WebContents } from 'electron';
import { type PageFiles, pageOrigin, servePage } from './page-protocol.ts';

export interface PageWindow {
  /** `page`: with what its address asks for, such as "profiles?ring=canary" */
  open(page: string): void;
  /** whether these are the contents of the page, in its own top frame */
  isOurs(contents: WebContents, url: string): boolean;
  /** to send it something; null while it is closed */
  contents(): WebContents | null;
}

/** The one permission that is granted: to copy text after a click. */
const copying = 'clipboard-sanitized-write';
/** Its own session, in memory: what a page stores ends with the tray. */
const partition = 'page';

export function createPageWindow(files: PageFiles, preload: string): PageWindow {
  let window: BrowserWindow | null = null;
  const contents = () => window?.webContents ?? null;
  return {
    open(page) {
      const address = `${pageOrigin}/#/${page}`;
      if (window === null) window = makeWindow(files, preload, () => (window = null));
      if (contents()?.getURL() !== address) void window.loadURL(address);
      window.show();
      window.focus();
    },
    isOurs: (asking, url) => asking === contents() && url.startsWith(`${pageOrigin}/`),
    contents,
  };
}

function makeWindow(files: PageFiles, preload: string, onClosed: () => void): BrowserWindow {
  const window = new BrowserWindow({
    width: 1080,
    height: 760,
    minWidth: 320,
    minHeight: 400,
    title: 'Sotto',
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      session: lockedSession(files),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
      devTools: !app.isPackaged,
    },
  });
  window.once('closed', onClosed);
  lockNavigation(window.webContents);
  return window;
}

/** The page can't navigate elsewhere, and can't open other windows. */
function lockNavigation(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
  contents.on('will-navigate', (event, url) => {
    if (!url.startsWith(`${pageOrigin}/`)) event.preventDefault();
  });
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

let locked: Session | null = null;

function lockedSession(files: PageFiles): Session {
  if (locked !== null) return locked;
  locked = session.fromPartition(partition, { cache: false });
  locked.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(permission === copying),
  );
  locked.setPermissionCheckHandler((_contents, permission) => permission === copying);
  // only a file that the page itself made: an export
  locked.on('will-download', (event, item) => {
    if (!item.getURL().startsWith(`blob:${pageOrigin}/`)) event.preventDefault();
  });
  locked.webRequest.onBeforeRequest(({ url }, decide) =>
    decide({ cancel: !url.startsWith(`${pageOrigin}/`) && !url.startsWith('devtools:') }),
  );
  servePage(locked, files);
  return locked;
}
