/** The window of a login in the real Electron, with a hotspot's page that tries everything that such a page could. */
import { chmod, chown, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { PortalStatus } from '../../app/contract/system/portal.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { ToldService } from '../rig/told-service.ts';
import { Hotspot, loginHost } from './hotspot.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { person } from './person.ts';
import { TrayStage } from './tray-stage.ts';
import { personalCertificate, startWantsCertificate } from './wants-certificate.ts';

const minute = 60_000;

describeOnDesktop('the login window', () => {
  const lab = labForFile();
  let hotspot: Hotspot;
  let service: ToldService;
  let stage: TrayStage;
  const calls: string[] = [];
  let until = 0;

  beforeAll(async () => {
    hotspot = await Hotspot.start(lab);
    stage = await TrayStage.open(lab, {}, async (home) => {
      service = await ToldService.start(lab, home, {
        'portal.open': () => {
          calls.push('open');
          until = Date.now() + 5 * minute;
          setImmediate(() => service.tell(captive({ login: login() })));
          return { ok: true, value: hotspot.open(until) };
        },
        'portal.close': () => {
          calls.push('close');
          return { ok: true, value: { portal: null, text: 'closed' } };
        },
        'portal.check': () => {
          calls.push('check');
          if (!hotspot.loggedIn) return { ok: true, value: { portal: seen, text: 'not yet' } };
          service.tell(free);
          return { ok: true, value: { portal: null, text: 'private' } };
        },
      });
      await chown(join(home, 'control.sock'), person.uid, person.uid);
    });
  });

  test('is announced once, with a button; markup from the network is shown as text', async () => {
    service.tell(captive({ site: '<b>portal</b>.example' }));
    const { notifications } = stage.host;
    const told = await notifications.shown('Log in to this Wi-Fi');
    expect(told.body).toContain('&lt;b&gt;portal&lt;/b&gt;.example lets nothing through');
    expect(Object.values(told.buttons)).toEqual(['Open login page', '']);
    expect(calls).toEqual([]);
    notifications.press(told, 'Open login page');
    await eventually('the call', async () => calls.includes('open'));
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    service.tell(free);
    await eventually('no window of it', async () => !(await titles()).includes('Hotel'));
    calls.length = 0;
    hotspot.visited.length = 0;
  });

  test('has an entry in the menu, and opens the page through the port with its password', async () => {
    service.tell(captive({}));
    await eventually('the sentence', async () =>
      (await stage.host.tooltip()).includes('Log in to this Wi-Fi'),
    );
    await logNetwork(join(await person.folder(lab, 'net'), 'first.json'));
    await stage.host.click('Open login page');
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    expect(hotspot.visited).toContain(loginHost);
    await eventually('the countdown in the menu', async () =>
      (await stage.host.menu()).some(({ label }) =>
        /^Close login \([1-5] minutes left\)$/.test(label),
      ),
    );
  });

  test('names the page’s host, and how long the login may take', async () => {
    await eventually('the site', async () => (await inBar('site')) === loginHost);
    expect(await inBar('time')).toMatch(/^[0-5]:\d\d left · not encrypted$/);
  });

  test('gives the page nothing of ours', async () => {
    const names = ['sotto', 'require', 'process', 'module', 'Buffer', 'electron'];
    expect(await inPage(`${JSON.stringify(names)}.filter((name) => name in window).join()`)).toBe(
      '',
    );
    expect(await preferences()).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
    });
    expect((await preferences())['preload'] ?? '').toBe('');
  });

  test.each([
    ['file:///etc/hostname', "location.href = 'file:///etc/hostname'"],
    ['sotto://page/', "location.href = 'sotto://page/'"],
    ['a scheme of another program', "location.href = 'mailto:somebody@example.com'"],
    ['a file to keep', "document.getElementById('file').click()"],
  ])('the page can open no %s', async (_, code) => {
    await inPage(`{ ${code} }`);
    await inPage('new Promise((drawn) => requestAnimationFrame(() => drawn(0)))');
    expect(await titles()).toContain('Hotel');
    expect(await inPage('location.host')).toBe(loginHost);
  });

  test('gives the page no permission', async () => {
    expect(await inPage('Notification.requestPermission()')).toBe('denied');
    const place =
      'new Promise((t) => navigator.geolocation.getCurrentPosition(() => t("told"), () => t("denied")))';
    expect(await inPage(place)).toBe('denied');
  });

  test('opens the page’s new windows in its place', async () => {
    const before = await contentsCount();
    await inPage("{ document.getElementById('other').click() }");
    await eventually('the other page', async () => (await titles()).includes('Welcome'));
    expect(await contentsCount()).toBe(before);
    await clickInBar('again');
    await eventually('the first page', async () => (await titles()).includes('Hotel'));
    expect(calls.filter((call) => call === 'open')).toHaveLength(2);
  });

  test('"I’m through" asks the service, which disagrees before the login', async () => {
    await clickInBar('through');
    await eventually('what it says', async () =>
      (await inBar('said')).startsWith('No encrypted connection yet'),
    );
    expect(calls).toContain('check');
  });

  test('closes itself after the login, and nothing has gone past the port', async () => {
    await inPage("{ document.getElementById('login').click() }");
    await eventually(
      'the welcome',
      async () => hotspot.loggedIn && (await titles()).includes('Welcome'),
    );
    const log = await endNetworkLog();
    await clickInBar('through');
    await eventually('no window of it', async () => !(await titles()).includes('Welcome'));
    await eventually('the end told to the service', async () => calls.includes('close'));
    expect(new Set(log.addresses)).toEqual(new Set([hotspot.address]));
    expect(log.lookups).toEqual([]);
    expect(log.datagrams).toBe(0);
  });

  test('fetches a page again that does not come, and the bar says why there is none', async () => {
    hotspot.cuts = Number.POSITIVE_INFINITY;
    service.tell(captive({}));
    await stage.host.click('Open login page');
    await eventually('why', async () =>
      /^The page doesn’t answer \(ERR_\w+\). Trying/.test(await inBar('said')),
    );
    hotspot.cuts = 0;
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    await eventually('nothing more to say', async () => (await inBar('said')) === '');
  });

  test('F6 moves from the page to the bar and back', async () => {
    await eventually('the page has the keys', async () => (await hasFocus()) === 'page');
    await press('F6');
    await eventually('the bar', async () => (await hasFocus()) === 'bar');
    await press('F6');
    await eventually('the page', async () => (await hasFocus()) === 'page');
  });

  test('says that a login was closed elsewhere, and how to get back', async () => {
    await eventually('the clock', async () => / left /.test(await inBar('time')));
    service.tell(captive({ login: null }));
    await eventually('the end', async () => (await inBar('time')) === 'The login is closed');
    expect(await inBar('said')).toContain('“Begin again” opens its way anew');
    await clickInBar('again');
    await eventually('the clock', async () => / left /.test(await inBar('time')));
    expect(await inBar('said')).not.toContain('Begin again');
    service.tell(free);
    await eventually('no window of it', async () => !(await titles()).includes('Hotel'));
  });

  test('keeps nothing for the next login', async () => {
    hotspot.cookies.length = 0;
    service.tell(captive({}));
    await stage.host.click('Open login page');
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    expect(hotspot.cookies[0]).toBe('');
    service.tell(free);
    await eventually('no window of it', async () => !(await titles()).includes('Hotel'));
  });

  test('shows no certificate to a page that asks for one, though the person has one', async () => {
    const host = 'secure.example';
    const page = await startWantsCertificate(lab, host);
    hotspot.secure = { host, port: page.port };
    const file = await personalCertificate(lab, 'p12');
    await chmod(file, 0o644);
    const imported = await stage.application.evaluate(
      ({ app }, certificate) =>
        new Promise((done) => app.importCertificate({ certificate, password: 'p12' }, done)),
      file,
    );
    expect(imported).toBe(0);
    await stage.application.evaluate(({ app }) => {
      app.on('certificate-error', (event, _contents, _url, _error, _certificate, decide) => {
        event.preventDefault();
        decide(true);
      });
    });
    service.tell(captive({}));
    await stage.host.click('Open login page');
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    await inPage(`{ location.href = 'https://${host}/' }`);
    await eventually('the answer', async () => (await titles()).includes('Secure'));
    expect(page.shown).toEqual([null]);
    service.tell(free);
    await eventually('no window of it', async () => !(await titles()).includes('Secure'));
  });

  test('gives no account to a page that wants the person’s', async () => {
    const switches = await stage.application.evaluate(({ app }) =>
      ['auth-server-allowlist', 'password-store'].map((name) =>
        app.commandLine.getSwitchValue(name),
      ),
    );
    // No host has that name, so it signs in to none; and it opens no keyring of the desktop.
    expect(switches).toEqual(['_', 'basic']);
    service.tell(captive({}));
    await stage.host.click('Open login page');
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    await inPage("{ location.href = '/signin' }");
    await eventually('the answer', async () => (await titles()).includes('Sign in'));
    expect(new Set(hotspot.signedIn)).toEqual(new Set(['']));
    service.tell(free);
    await eventually('no window of it', async () => !(await titles()).includes('Sign in'));
  });

  test('opens by itself under fallback; the page of the main window never sees the password', async () => {
    service.tell(captive({ byItself: true }));
    await eventually('the page', async () => (await titles()).includes('Hotel'));
    const page = await stage.window();
    await page.waitForLoadState();
    await eventually('a connection', () =>
      page.evaluate('sotto.connect(() => {}, () => {}).then(({ ok }) => ok)'),
    );
    expect(await page.evaluate("sotto.call('portal.open', {})")).toMatchObject({
      ok: true,
      value: { proxy: { user: '', password: '' } },
    });
  });

  const seen: PortalStatus = {
    evidence: 'api',
    site: loginHost,
    url: `http://${loginHost}/`,
    since: Date.now(),
    byItself: false,
    skipped: false,
    login: null,
  };
  const login = () => ({ by: 'window', since: Date.now(), until, who: 'you', entry: 1 }) as const;
  const captive = (changes: Partial<PortalStatus>) => ({
    protection: { state: 'portal' } as const,
    portal: { ...seen, ...changes },
  });
  const free = {
    protection: { state: 'private', upstream: 'quad9', tls: 'TLS 1.3' } as const,
    portal: null,
  };

  const titles = () =>
    stage.application.evaluate(({ webContents }) =>
      webContents.getAllWebContents().map((contents) => contents.getTitle()),
    );
  const contentsCount = async () => (await titles()).length;

  const inPage = (code: string) => runWhere(`http://${loginHost}/`, code);
  const inBar = (id: string) =>
    runWhere('data:', `document.getElementById('${id}').textContent`) as Promise<string>;
  const clickInBar = (id: string) =>
    runWhere('data:', `{ document.getElementById('${id}').click() }`);

  /** Runs code in the web contents at this address. */
  function runWhere(address: string, code: string): Promise<unknown> {
    return stage.application.evaluate(
      ({ webContents }, { address, code }) =>
        webContents
          .getAllWebContents()
          .find((contents) => contents.getURL().startsWith(address))
          ?.executeJavaScript(code, true),
      { address, code },
    );
  }

  /** The web contents that have the keyboard focus. */
  function hasFocus(): Promise<string> {
    return stage.application.evaluate(({ webContents }) => {
      const focused = webContents.getFocusedWebContents()?.getURL() ?? '';
      if (focused.startsWith('data:')) return 'bar';
      return focused.startsWith('http:') ? 'page' : focused;
    });
  }

  /** Presses a key, which goes to whatever has the focus. */
  function press(keyCode: string): Promise<void> {
    return stage.application.evaluate(({ webContents }, keyCode) => {
      const focused = webContents.getFocusedWebContents();
      for (const type of ['keyDown', 'keyUp'] as const) focused?.sendInputEvent({ type, keyCode });
    }, keyCode);
  }

  function preferences(): Promise<Record<string, unknown>> {
    return stage.application.evaluate(({ webContents }, host) => {
      const contents = webContents
        .getAllWebContents()
        .find((one) => one.getURL().startsWith(`http://${host}/`)) as unknown as
        | { getLastWebPreferences(): Record<string, unknown> }
        | undefined;
      return contents?.getLastWebPreferences() ?? {};
    }, loginHost);
  }

  let logFile = '';
  /** Records everything that the network stack does for the second login's session. */
  async function logNetwork(file: string): Promise<void> {
    logFile = file;
    await stage.application.evaluate(
      ({ session }, path) =>
        session.fromPartition('login-2', { cache: false }).netLog.startLogging(path),
      file,
    );
  }

  async function endNetworkLog() {
    await stage.application.evaluate(({ session }) =>
      session.fromPartition('login-2').netLog.stopLogging(),
    );
    return readNetworkLog(await readFile(logFile, 'utf8'));
  }
});

const networkLog = z.object({
  constants: z.object({ logEventTypes: z.record(z.string(), z.number()) }),
  events: z.array(
    z.object({
      type: z.number(),
      params: z
        .looseObject({ address: z.string().optional(), host: z.string().optional() })
        .optional(),
    }),
  ),
});

/** Chromium's own record: to which hosts it connected, which names it looked up, how many datagrams it sent. */
function readNetworkLog(text: string) {
  const { constants, events } = networkLog.parse(JSON.parse(text));
  const of = (...names: string[]) => {
    const types = names.map((name) => constants.logEventTypes[name]);
    if (types.includes(undefined)) throw new Error(`no event types ${names.join()}`);
    return events.filter(({ type }) => types.includes(type));
  };
  return {
    addresses: of('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? []),
    lookups: of('HOST_RESOLVER_MANAGER_JOB', 'DNS_TRANSACTION').map(({ params }) => params),
    datagrams: of('UDP_BYTES_SENT').length,
  };
}
