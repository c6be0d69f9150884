/** The window of the real tray: what its page can and cannot reach. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { TrayStage } from './tray-stage.ts';

describeOnDesktop('the window', () => {
  const lab = labForFile();
  let stage: TrayStage;
  let page: Page;

  beforeAll(async () => {
    stage = await TrayStage.open(lab, {});
    page = await stage.window();
    await page.waitForLoadState();
  });

  test('shows a page at an address of its own, in a sandbox', async () => {
    expect(page.url()).toMatch(/^sotto:\/\/page\//);
    const preferences = await stage.application.evaluate(({ webContents }) => {
      const [contents] = webContents.getAllWebContents() as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      }[];
      return contents?.getLastWebPreferences();
    });
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
    });
  });

  test('runs in a process that the kernel confines as well', async () => {
    const processes = await stage.application.evaluate(({ app }) =>
      app.getAppMetrics().map(({ pid, type }) => ({ pid, type })),
    );
    const renderers = processes.filter(({ type }) => type === 'Tab');
    expect(renderers).not.toEqual([]);
    for (const { pid } of renderers)
      expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(
        /^NoNewPrivs:\t1\nSeccomp:\t2$/m,
      );
  });

  test('has the contract and nothing of Node or Electron', async () => {
    expect(await run('Object.keys(sotto).sort()')).toEqual([
      ...['askAuthority', 'call', 'connect', 'disconnect', 'pour', 'poured'],
      ...['setShowsNotices', 'setStartsAtLogin', 'showsNotices', 'startService', 'startsAtLogin'],
      ...['stopAsking', 'stopPouring'],
    ]);
    const names = ['require', 'process', 'module', 'Buffer', 'global', 'electron'];
    expect(await run(`${JSON.stringify(names)}.filter((name) => name in window)`)).toEqual([]);
  });

  test('speaks to the service only by methods of the contract', async () => {
    await eventually('a connection', () =>
      run('sotto.connect(() => {}, () => {}).then(({ ok }) => ok)'),
    );
    // the page's own connection may take the place of this one at first
    const status = await eventually('a reply', async () => {
      const told = (await run("sotto.call('status.get', {})")) as { ok: boolean };
      return told.ok ? told : undefined;
    });
    expect(status).toMatchObject({ ok: true, value: { guarded: true } });
    await expect
      .poll(() => run("sotto.call('constructor', {})"))
      .toMatchObject({ failure: { code: 'unknown-method' } });
    await expect
      .poll(() => run("sotto.call('status.get', { more: 1 })"))
      .toMatchObject({ failure: { code: 'params-invalid' } });
  });

  test('takes an export of the query log chunk by chunk, and to its end', async () => {
    await eventually('the query in the export', async () => {
      // The first may come before the service hears.
      await stage.ask('exported.example');
      expect(await run("sotto.pour({ filter: 'exported', format: 'csv' })")).toMatchObject({
        ok: true,
      });
      const text = await run(`(async () => {
        let text = '';
        for (let octets; (octets = await sotto.poured()) !== null; )
          text += new TextDecoder().decode(octets);
        return text;
      })()`);
      expect(text).toMatch(/id,time,name,.*e.{8}$/s);
      return /,exported\.example,/.test(String(text));
    });
    expect(await run("sotto.pour({ filter: 'tpye:A', format: 'csv' })")).toMatchObject({
      failure: { code: 'filter-invalid' },
    });
    expect(await run("sotto.pour({ filter: '', format: 'xls' })")).toMatchObject({
      failure: { code: 'params-invalid' },
    });
    expect(await run("sotto.call('log.pour', { filter: '', format: 'csv' })")).toMatchObject({
      failure: { code: 'unknown-method' },
    });
    await run("sotto.pour({ filter: '', format: 'csv' })");
    await run('sotto.stopPouring()');
    expect(await run('sotto.poured()')).toBeNull();
  });

  test('starts the service again when a person presses Start', async () => {
    // a page that is loaded anew has a connection of its own, and hears when that ends
    await page.reload();
    const before = await eventually('the service', () => stage.status().catch(() => undefined));
    const pause = page.getByRole('main').getByRole('button', { name: 'Pause', exact: true });
    await pause.waitFor({ timeout: 60_000 });
    await stage.cli('stop');
    const start = page.getByRole('main').getByRole('button', { name: 'Start', exact: true });
    await start.click({ timeout: 60_000 });
    await start.waitFor({ state: 'detached', timeout: 60_000 });
    await expect.poll(async () => (await stage.status()).pid).not.toBe(before.pid);
  });

  test('runs no code but its own', async () => {
    await run(`{
      const script = document.createElement('script');
      script.textContent = 'window.injected = true';
      document.body.append(script);
    }`);
    expect(await run("'injected' in window")).toBe(false);
    // code that is evaluated from outside may make code out of text; later code of the page may not
    const later = `new Promise((tell) => setTimeout(() => {
      try { tell(new Function('return "made"')()); } catch { tell('refused'); }
    }))`;
    expect(await run(later)).toBe('refused');
  });

  test.each(['http://127.0.0.1:1/', 'https://example.com/', 'file:///etc/hostname'])(
    'reaches no address but its own: %s',
    async (address) => {
      expect(await run(`fetch('${address}').then(() => 'reached', () => 'refused')`)).toBe(
        'refused',
      );
    },
  );

  test.each(['/../../package.json', '/%2e%2e/%2e%2e/package.json', '/preload.cjs', '/%'])(
    'is served no file but the page’s: %s',
    async (path) => {
      expect(await run(`fetch('${path}').then(({ status }) => status)`)).toBe(404);
    },
  );

  test('can open no other address', async () => {
    const address = page.url();
    expect(await run("window.open('https://example.com/')")).toBeNull();
    await run("location.href = 'https://example.com/'");
    await run('new Promise((drawn) => requestAnimationFrame(() => drawn(0)))');
    expect(page.url()).toBe(address);
    expect(stage.application.windows()).toHaveLength(1);
  });

  test('has no permission but to copy', async () => {
    const camera = `navigator.mediaDevices.getUserMedia({ video: true })
      .then(() => 'given', () => 'denied')`;
    expect(await run(camera)).toBe('denied');
    expect(await run('Notification.requestPermission()')).toBe('denied');
  });

  function run(code: string): Promise<unknown> {
    return page.evaluate(code);
  }
});
