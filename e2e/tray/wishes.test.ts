/** What the real tray does itself, from its menu and for its page: it asks the system's authority, and starts at login. */
import { existsSync } from 'node:fs';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { describeOnDesktop } from './on-desktop.ts';
import { person } from './person.ts';
import { TrayStage } from './tray-stage.ts';

describeOnDesktop('what the tray does itself', () => {
  const lab = labForFile();
  let stage: TrayStage;
  let page: Page;

  beforeAll(async () => {
    stage = await TrayStage.open(lab, { upstreams: [] });
    page = await stage.window();
    await page.waitForLoadState();
  });

  const entry = () => join(stage.configuration, 'autostart', 'sotto.desktop');
  const run = (code: string) => page.evaluate(code) as Promise<unknown>;
  const isTicked = async () =>
    (await stage.host.menu()).some(({ label, checked }) => label === 'Start at login' && checked);
  const goTo = async (place: string) => {
    await run(`location.hash = '#/${place}'`);
  };
  const switchOnPage = () => page.getByRole('switch', { name: 'Start at login' });

  test('says why this computer can’t be protected, and which line helps', async () => {
    await stage.host.click('Protect this computer');
    const { body } = await stage.host.notifications.shown('Not changed');
    expect(body).toMatch(/Start it in a terminal .*: sudo .*sotto-helper --for "\$USER"$/);
    await eventually('it is wanted', async () => (await stage.status()).systemDns?.wanted === true);
    await stage.host.click('Stop protecting this computer');
    await eventually('no more', async () => (await stage.status()).systemDns?.wanted === false);
  });

  test('asks the authority for one of two words, and nothing else of the page’s', async () => {
    for (const wish of ['"system"', '"take --home /tmp"', '["take"]', '{}', 'undefined'])
      expect(await run(`sotto.askAuthority(${wish})`)).toMatchObject({
        failure: { code: 'params-invalid' },
      });
    // Sotto is not installed here, so there is nothing that an administrator could run.
    expect(await run('sotto.askAuthority("take")')).toMatchObject({
      failure: { code: 'authority-missing' },
    });
  });

  test('starts at login by a switch of the page, which menu and file show, too', async () => {
    await goTo('settings');
    await switchOnPage().click();
    await eventually('the tick in the menu', isTicked);
    expect(await readFile(entry(), 'utf8')).toMatch(
      /^\[Desktop Entry\]\n.*^TryExec=\/.*^Exec=("env" "SOTTO_HOME=.*" )?"\/.*" "--hidden"$/ms,
    );
    await stage.host.click('Start at login');
    await eventually('the file gone', async () => !existsSync(entry()));
    await goTo('status');
    await goTo('settings');
    await eventually('the switch off', async () => !(await switchOnPage().isChecked()));
  });

  test('shows what the desktop turned off', async () => {
    await switchOnPage().click();
    await eventually('the tick in the menu', isTicked);
    const text = await readFile(entry(), 'utf8');
    await writeFile(entry(), text.replace('enabled=true', 'enabled=false'));
    await chown(entry(), person.uid, person.uid);
    await goTo('status');
    await goTo('settings');
    await eventually('the switch off', async () => !(await switchOnPage().isChecked()));
  });

  test('keeps whether it shows notices', async () => {
    const notices = page.getByRole('switch', { name: 'Notifications' });
    await expect.poll(() => notices.isChecked()).toBe(true);
    await notices.click();
    await eventually('they are off', async () => !(await notices.isChecked()));
    await expect.poll(() => run('sotto.showsNotices()')).toBe(false);
    expect(await run('sotto.setShowsNotices("no")')).toMatchObject({
      failure: { code: 'params-invalid' },
    });
    await goTo('status');
    await goTo('settings');
    await eventually('they stay off', async () => !(await notices.isChecked()));
    await notices.click();
    await eventually('they are on', () => notices.isChecked());
    await expect.poll(() => run('sotto.showsNotices()')).toBe(true);
  });

  test('says in the menu what ends with it', async () => {
    const last = async () => (await stage.host.menu()).at(-1)?.label;
    await expect.poll(last).toBe('Quit Sotto (its service ends, too)');
  });

  test('takes no wish from another page', async () => {
    const refused = await stage.application.evaluate(async ({ BrowserWindow, app }) => {
      const preload = `${app.getAppPath()}/preload.cjs`;
      const stranger = new BrowserWindow({ show: false, webPreferences: { preload } });
      await stranger.loadURL('data:text/html,<title>stranger</title>');
      const asked =
        'Promise.all([sotto.askAuthority("take"), sotto.setStartsAtLogin(true), sotto.setShowsNotices(false)])';
      const answers = await stranger.webContents.executeJavaScript(asked);
      stranger.destroy();
      return answers;
    });
    expect(refused).toMatchObject([
      { failure: { code: 'forbidden' } },
      { failure: { code: 'forbidden' } },
      { failure: { code: 'forbidden' } },
    ]);
    expect(await isTicked()).toBe(false);
  });
});
