/** The tray: wiring only. It shows the service's state and switches it, and may end at any time while DNS goes on. */
import { app, Menu, nativeImage, nativeTheme, Tray } from 'electron';
import { reachablePaths } from '../contract/service-paths.ts';
import { systemAuthority } from '../page/system-authority.ts';
import { connectToService } from '../service-client/service-client.ts';
import { createCarryOut } from './carry-out.ts';
import { resolveNothing } from './login-session.ts';
import { createLoginWindow } from './login-window.ts';
import { menuTemplate } from './menu-template.ts';
import { setShowsNotices, showsNotices } from './notice-switch.ts';
import { type Notice, Notices } from './notices.ts';
import { showNotice } from './notifications.ts';
import { openPageChannel } from './page-channel.ts';
import { pageFiles } from './page-files.ts';
import { pageForLink } from './page-for-link.ts';
import { announceScheme } from './page-protocol.ts';
import { createPageWindow } from './page-window.ts';
import { openPageWishes } from './page-wishes.ts';
import { places } from './places.ts';
import { portableService } from './portable-service.ts';
import { createProtecting } from './protecting.ts';
import { sayNotice } from './said-notice.ts';
import { Link, type ServiceLink } from './service-link.ts';
import { keepStartAtLogin, setStartsAtLogin, startsAtLogin } from './start-at-login.ts';
import { startService } from './start-service.ts';
import { wordsFor } from './text/choose.ts';
import { type TrayView, trayView } from './tray-view.ts';

// Node would open a debugger's port, which gives full control to every program that connects.
process.on('SIGUSR1', () => {});
announceScheme();
resolveNothing();
if (!app.requestSingleInstanceLock()) app.quit();
else void app.whenReady().then(start);

function start(): void {
  const words = wordsFor(app.getLocale());
  const service = portableService(places);
  const controlSocket = () => reachablePaths(process.env).controlSocket;
  const connect = () => connectToService(controlSocket(), 'the tray');
  const window = createPageWindow(pageFiles(places.page), places.preload);
  const login = createLoginWindow({
    call: (name, params) => link.call(name, params),
    words,
    language: app.getLocale(),
  });
  openPageChannel(window, login, () => connectToService(controlSocket(), 'the window'));

  const notices = new Notices();
  const tray = new Tray(markPicture('connecting'));
  const link = new Link({
    connect,
    startService: service.start,
    onChange: changed,
    now: Date.now,
    after(milliseconds, then) {
      const timer = setTimeout(then, milliseconds);
      return () => clearTimeout(timer);
    },
  });
  const authority = systemAuthority();
  const protecting = createProtecting({
    link,
    authority,
    words,
    notify: (said) => void showNotice(said, carryOut),
    now: Date.now,
  });
  const carryOut = createCarryOut({ link, window, login, service, protecting, onDone: drawAnew });
  openPageWishes(window, {
    authority,
    startService: () => startService({ portable: service, controlSocket }),
    startsAtLogin() {
      // The desktop may have changed it meanwhile, and nothing tells the menu.
      draw();
      return startsAtLogin(places);
    },
    setStartsAtLogin(wanted) {
      const set = setStartsAtLogin(places, wanted);
      draw();
      return set;
    },
    showsNotices: () => showsNotices(app.getPath('userData')),
    setShowsNotices: (wanted) => setShowsNotices(app.getPath('userData'), wanted),
  });
  keepStartAtLogin(places);
  let shown = '';
  let countdown: NodeJS.Timeout | undefined;

  function changed(now: ServiceLink): void {
    draw();
    login.follow(now.is === 'connected' ? now.status : null);
    if (now.is !== 'connected') return;
    if (now.status.portal?.byItself === true) void login.open();
    protecting.follow(now.status);
    showNews(notices.take(now.status, Date.now()));
  }

  function showNews(news: readonly Notice[]): void {
    if (news.length === 0 || !showsNotices(app.getPath('userData'))) return;
    for (const notice of news) void showNotice(sayNotice(notice, words), carryOut);
  }

  /** Draws only what differs, because an open menu would close. */
  function draw(): void {
    const now = Date.now();
    const view = trayView(link.current, {
      now,
      words,
      startsAtLogin: startsAtLogin(places),
      ownsService: service.isOurs(),
    });
    clearTimeout(countdown);
    if (view.changesAt !== null) countdown = setTimeout(draw, view.changesAt - now + 50);
    const looks = JSON.stringify([view, nativeTheme.shouldUseDarkColors]);
    if (looks === shown) return;
    shown = looks;
    show(view);
  }

  /** Also where nothing changed: the desktop may have moved a tick by itself. */
  function drawAnew(): void {
    shown = '';
    draw();
  }

  function show({ mark, tooltip, entries }: TrayView): void {
    tray.setImage(markPicture(mark));
    tray.setToolTip(tooltip);
    tray.setContextMenu(Menu.buildFromTemplate(menuTemplate(entries, carryOut)));
  }

  tray.on('click', () => window.open('home'));
  nativeTheme.on('updated', draw);
  app.on('second-instance', (_event, words) => window.open(pageForLink(words)));
  app.on('activate', () => window.open('home'));
  // the tray goes on without its window
  app.on('window-all-closed', () => {});
  app.on('before-quit', () => link.close());
  if (!process.argv.includes('--hidden')) window.open(pageForLink(process.argv));
  void link.connect();
}

function markPicture(mark: TrayView['mark']): Electron.NativeImage {
  const ink = nativeTheme.shouldUseDarkColors ? 'white' : 'black';
  const name = process.platform === 'darwin' ? `${mark}Template` : `${mark}-${ink}`;
  return nativeImage.createFromPath(`${places.marks}/${name}.png`);
}
