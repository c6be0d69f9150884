/** The Settings page over the real service and its settings.json. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingKeys } from '../../app/contract/settings/settings.ts';
import { describeWith } from '../rig/available.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectGone, expectNoOverflow, expectText } from './expect-page.ts';
import { SettingsPage } from './pages/settings-page.ts';
import { type Look, uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'the Settings page', () => {
  const stage = uiStage();

  async function open(service: SottoService, look: Look = {}): Promise<SettingsPage> {
    const settings = new SettingsPage(await stage.open(service, look));
    await settings.goTo(/^(Settings|Einstellungen)$/);
    await settings.settings.first().waitFor();
    return settings;
  }

  it('shows every declared setting, and finds one by its words and by key', async () => {
    const service = await stage.startService();
    const page = await open(service);
    await expect.poll(() => page.settings.count()).toBe(settingKeys.length);
    await expectAccessible(page.page);

    await page.page.keyboard.press('/');
    await page.page.keyboard.type('stale');
    await expectText(page.content, '2 settings');
    await expectText(page.setting('Serve stale answers'), 'RFC 8767');
    await page.search.fill('queryLog');
    await expectText(page.content, '4 settings');
    await page.search.fill('zeppelin');
    await expectText(page.content, 'No setting is called that.');
    await expectAccessible(page.page);
    await service.stop();
  });

  it('links to the page of settings that have one, and offers no JSON for them', async () => {
    const service = await stage.startService();
    const page = await open(service);
    const upstreams = page.setting('Upstreams');
    await expectText(upstreams, '1 entry');
    await expectGone(upstreams.getByRole('textbox'));
    await upstreams.getByRole('link', { name: 'Providers' }).click();
    await expectText(page.content.getByRole('heading', { level: 1 }), 'Providers');
    await service.stop();
  });

  it('changes a setting by keyboard, keeps the comments of the file, and undoes the change', async () => {
    const service = await stage.startService();
    const file = join(service.home, 'settings.json');
    const written = await readFile(file, 'utf8');
    const commented = written.replace('{', '{\n  // mine, not to be touched\n');
    await writeFile(file, commented);
    const page = await open(service);
    const { keyboard } = page.page;

    await keyboard.press('/');
    await keyboard.type('keep queries');
    await expectText(page.content, '1 setting');
    await keyboard.press('Tab');
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('14');
    await keyboard.press('Enter');
    await expectText(page.toast, 'Changed: Keep queries for');
    await expectText(page.setting('Keep queries for'), /Set in settings\.json\s*Default: 30 days/);
    expect(await inForce(service, 'queryLog.keepDays')).toBe(14);
    expect(await readFile(file, 'utf8')).toContain('// mine, not to be touched');
    expect(await page.setting('Keep queries for').locator('input:focus').count()).toBe(1);

    await page.toast.getByRole('button', { name: 'Undo' }).press('Enter');
    await expectText(page.toast, 'As before: Keep queries for');
    expect(await inForce(service, 'queryLog.keepDays')).toBe(30);
    expect(await readFile(file, 'utf8')).toBe(commented);
    await service.stop();
  });

  it('has a switch and a choice that take effect at once, and resets them', async () => {
    const service = await stage.startService();
    const page = await open(service);
    const stale = page.setting('Serve stale answers');
    await stale.getByRole('switch').press('Space');
    await expectText(stale, 'Set in settings.json');
    expect(await inForce(service, 'cache.serveStale')).toBe(true);
    await stale.getByRole('button', { name: 'Reset to the default' }).click();
    await expectText(stale, 'As delivered');
    expect(await inForce(service, 'cache.serveStale')).toBe(false);

    const policy = page.setting('Without a private path');
    await policy.getByRole('combobox').selectOption('warn');
    await expectText(policy, /Default: refuse/);
    expect(await inForce(service, 'downgrade')).toBe('warn');
    await service.stop();
  });

  it('refuses a bad value at its field, with the service’s message, and keeps what was typed', async () => {
    const service = await stage.startService();
    const page = await open(service);
    const days = page.setting('Keep queries for').getByRole('spinbutton');
    await days.fill('0');
    await days.press('Enter');
    await expectText(page.problem('Keep queries for'), /queryLog\.keepDays: .*>=1/);
    expect(await days.inputValue()).toBe('0');
    expect(await days.getAttribute('aria-invalid')).toBe('true');
    expect(await inForce(service, 'queryLog.keepDays')).toBe(30);

    const listen = page.setting('Listen on');
    await listen.getByRole('textbox').fill('127.0.0.1');
    await listen.getByRole('button', { name: 'Save' }).click();
    await expectText(page.problem('Listen on'), '"127.0.0.1" is not an address with a port');
    await expectAccessible(page.page);

    await days.press('Escape');
    expect(await days.inputValue()).toBe('30');
    await service.stop();
  });

  it('does not overwrite a change that another client made meanwhile, and shows it', async () => {
    const service = await stage.startService();
    const page = await open(service);
    const days = page.setting('Keep queries for').getByRole('spinbutton');
    const { code } = await service.cli('config', 'set', 'queryLog.keepDays', '7');
    expect(code).toBe(0);
    await days.fill('90');
    await days.press('Enter');
    await expectText(page.problem('Keep queries for'), 'settings.json was changed meanwhile');
    await expect.poll(() => days.inputValue()).toBe('7');
    expect(await inForce(service, 'queryLog.keepDays')).toBe(7);
    await service.stop();
  });

  it('disables settings that a policy locks, and says whose policy it is and why', async () => {
    const service = await stage.startService();
    await service.stop();
    const policies = join(service.home, 'policy.d');
    await mkdir(policies, { recursive: true });
    await writeFile(
      join(policies, 'corp.json'),
      JSON.stringify({
        name: 'Example Corp',
        settings: {
          downgrade: { value: 'refuse', lock: true, reason: 'clear DNS\u202e <b>leaks</b>' },
          'cache.serveStale': { value: true },
        },
      }),
    );
    await service.restart();
    const page = await open(service);
    const locked = page.setting('Without a private path');
    await expectText(locked, String.raw`Locked by Example Corp: clear DNS\u202e <b>leaks</b>`);
    await expectText(locked, 'corp.json');
    expect(await locked.getByRole('combobox').isDisabled()).toBe(true);
    await expectGone(locked.getByRole('button'));

    const recommended = page.setting('Serve stale answers');
    await expectText(recommended, /Set by .*corp\.json/);
    expect(await recommended.getByRole('switch').isEnabled()).toBe(true);
    await expectAccessible(page.page);
    await service.stop();
  });

  it('fits 320 px, and dark German, with nothing left in English', async () => {
    const service = await stage.startService();
    const page = await open(service, { width: 320, colorScheme: 'dark', locale: 'de-DE' });
    await expectText(page.setting('Ohne privaten Weg'), 'kein privater Weg, keine Antwort');
    await expectNoOverflow(page.page);
    await expectAccessible(page.page);
    expect(await page.settings.locator('[lang=en]').count()).toBe(0);

    await page.content.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
    await expectText(page.setting('Without a private path'), 'no private path, no answer');
    await expectNoOverflow(page.page);
    await page.content.getByRole('combobox', { name: 'Appearance' }).selectOption('light');
    const look = await page.page.evaluate('document.documentElement.dataset.appearance');
    expect(look).toBe('light');
    await service.stop();
  });
});

async function inForce(service: SottoService, key: string): Promise<unknown> {
  const { settings } = await service.json<{ settings: { key: string; value: unknown }[] }>(
    'config',
    'show',
  );
  return settings.find((setting) => setting.key === key)?.value;
}
