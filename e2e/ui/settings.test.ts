/** The Settings page over the real service and its settings.json. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingKeys } from '../../app/contract/settings/settings.ts';
import { describeWith } from '../rig/available.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectGone, expectText } from './expect-page.ts';
import { inForce } from './in-force.ts';
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

  it('has a form for every declared setting, the first ones open and the others folded', async () => {
    const service = await stage.service();
    const page = await open(service);
    await expectText(page.content, /General\s+Protect this computer/);
    await expectText(page.content, 'What is kept of queries');
    await expect.poll(() => page.setting('Without an encrypted connection').count()).toBe(0);
    await page.openAll();
    await expect.poll(() => page.settings.count()).toBe(settingKeys.length);
    await expectAccessible(page.page);
    for (const setting of await page.settings.all())
      expect(await setting.innerText()).not.toMatch(/JSON|\brefuse\b|fallback|contested/);
    for (const text of await page.content.getByRole('textbox').all())
      expect(await text.inputValue()).not.toMatch(/[{}]/);
  });

  it('finds a setting by its words, by other words, in German and by key, and says when it finds none', async () => {
    const service = await stage.service();
    const page = await open(service);
    await page.page.keyboard.press('/');
    await page.page.keyboard.type('stale');
    await expectText(page.content, '2 settings');
    await page.openDetails('Use expired answers');
    await expectText(page.setting('Use expired answers'), 'RFC 8767');
    await expectText(page.setting('Use expired answers'), 'cache.serveStale');
    await page.search.fill('captive');
    await expectText(page.setting('Notice login pages'), 'Finds out whether a Wi-Fi wants a login');
    await page.search.fill('Anmeldeseiten bemerken');
    await expectText(page.setting('Notice login pages'), 'Finds out whether a Wi-Fi wants a login');
    await page.search.fill('queryLog.');
    await expectText(page.content, '4 settings');
    await page.search.fill('zeppelin');
    await expectText(page.content, 'No setting is called that.');
    await expectAccessible(page.page);
    await page.content.getByRole('button', { name: 'Show all' }).click();
    await expectText(page.content, 'General');
  });

  it('links to the page of settings that have one', async () => {
    const service = await stage.service();
    const page = await open(service);
    await page.search.fill('upstreams');
    const upstreams = page.setting('Providers');
    await expectText(upstreams, '1 entry');
    await expectGone(upstreams.getByRole('textbox'));
    await upstreams.getByRole('link', { name: 'Providers' }).click();
    await expectText(page.content.getByRole('heading', { level: 1 }), 'Providers');
  });

  it('puts conditions together in a form, by keyboard, and undoes it', async () => {
    const service = await stage.service();
    const page = await open(service);
    await page.search.fill('refuseFor');
    const never = page.setting('Never unencrypted for');
    await expectText(never, 'No condition yet');
    await never.getByRole('button', { name: 'Add a condition' }).press('Enter');
    await never.getByLabel('Accounts').fill('backup\n1001');
    await never.getByRole('button', { name: 'Add a time of day' }).press('Enter');
    await never.getByLabel('Monday').press('Space');
    await never.getByLabel('From').fill('22:00');
    await never.getByLabel('Until').fill('6');
    await expectAccessible(page.page);
    await never.getByRole('button', { name: 'Save' }).press('Enter');
    await expectText(
      page.problem('Never unencrypted for'),
      '“6” is not a time of day such as “22:00”.',
    );
    await expectAccessible(page.page);
    await never.getByLabel('Until').fill('06:00');
    await never.getByLabel('Until').press('Enter');
    await expectText(page.toast, 'Changed: Never unencrypted for');
    await expect
      .poll(() => inForce(service, 'refuseFor'))
      .toEqual([
        { user: ['backup', 1001], hours: [{ days: ['mon'], from: '22:00', to: '06:00' }] },
      ]);
    await page.toast.getByRole('button', { name: 'Undo' }).press('Enter');
    await expectText(never, 'No condition yet');
    await expect.poll(() => inForce(service, 'refuseFor')).toEqual([]);
  });

  it('makes a group with its provider in one step, and undoes both', async () => {
    const service = await stage.service();
    const file = join(service.home, 'settings.json');
    const settings = JSON.parse(await readFile(file, 'utf8')) as { upstreams: object[] };
    settings.upstreams.push({ id: 'office', transport: 'dot', address: '192.0.2.1' });
    await service.writeSettings(JSON.stringify(settings));
    await expect.poll(() => groupsOf(service)).toEqual([undefined, undefined]);
    const page = await open(service);
    await page.search.fill('groups');
    const groups = page.setting('Groups of providers');
    await groups.getByLabel('Name of the new group').fill('a b');
    await groups.getByLabel('Name of the new group').press('Enter');
    await expectText(page.problem('Groups of providers'), 'A name begins with a letter');
    await groups.getByLabel('Name of the new group').fill('corp');
    await groups.getByLabel('Name of the new group').press('Enter');
    await expectText(page.problem('Groups of providers'), 'No provider is in corp');
    await expect.poll(() => groups.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await groups.getByRole('checkbox', { name: 'office' }).press('Space');
    await groups.getByRole('button', { name: 'Save' }).press('Enter');
    await expectText(page.problem('Groups of providers'), '“Names” needs at least one entry.');
    await groups.getByRole('textbox', { name: 'Names' }).fill('corp.example');
    await groups
      .getByRole('combobox', { name: 'Without an encrypted connection' })
      .selectOption({ label: 'Block' });
    await expectAccessible(page.page);
    await groups.getByRole('button', { name: 'Save' }).press('Enter');
    await expectText(page.toast, 'Changed: Groups of providers');
    await expect
      .poll(() => inForce(service, 'groups'))
      .toEqual({
        corp: { names: ['corp.example'], downgrade: 'refuse' },
      });
    await expect.poll(() => groupsOf(service)).toEqual([undefined, 'corp']);
    await page.toast.getByRole('button', { name: 'Undo' }).press('Enter');
    await expectText(groups, 'No group yet');
    await expect.poll(() => groupsOf(service)).toEqual([undefined, undefined]);
  });

  it('keeps the order of ways, which a row’s button changes', async () => {
    const service = await stage.service();
    const page = await open(service);
    await page.search.fill('rungs');
    const ways = page.setting('Unencrypted ways');
    await ways.getByRole('checkbox', { name: 'Unencrypted to the network’s' }).press('Space');
    await ways
      .getByRole('button', { name: 'Try earlier: Unencrypted to the provider, over UDP' })
      .press('Enter');
    await ways.getByRole('button', { name: 'Save' }).press('Enter');
    await expectText(page.toast, 'Changed: Unencrypted ways');
    await expect.poll(() => inForce(service, 'rungs')).toEqual(['udp', 'tcp', 'network']);
  });

  it('has the text as the last resort, and names the line that is wrong', async () => {
    const service = await stage.service();
    const page = await open(service, { locale: 'de-DE' });
    await page.search.fill('portal.probes');
    const label = 'Seiten mit bekanntem Text';
    await page.openDetails(label);
    const text = page.setting(label).getByRole('textbox', { name: 'Als Text bearbeiten' });
    await text.fill('[\n  { "url": "http://a.example/" "text": "a" }\n]');
    await page.setting(label).getByRole('button', { name: 'Speichern' }).click();
    await expectText(page.problem(label), 'Zeile 2: „"text": "a" }“ kann dort nicht stehen.');
    await text.fill('[{ "url": "http://a.example/", "text": "a" }]');
    await page.setting(label).getByRole('button', { name: 'Speichern' }).click();
    await expectText(page.toast, `Geändert: ${label}`);
    await expect
      .poll(() => inForce(service, 'portal.probes'))
      .toEqual([{ url: 'http://a.example/', text: 'a' }]);
  });

  it('changes a setting by keyboard, keeps the comments of the file, and undoes the change', async () => {
    const service = await stage.service();
    const file = join(service.home, 'settings.json');
    const written = await readFile(file, 'utf8');
    const commented = written.replace('{', '{\n  // mine, not to be touched\n');
    await service.writeSettings(commented);
    const page = await open(service);
    const { keyboard } = page.page;

    await keyboard.press('/');
    await keyboard.type('keepDays');
    await expectText(page.content, '1 setting');
    await keyboard.press('Tab');
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('14');
    await keyboard.press('Enter');
    await expectText(page.toast, 'Changed: Keep queries for');
    await expectText(page.setting('Keep queries for'), /Set in settings\.json\s*Default: 30 days/);
    await expect.poll(() => inForce(service, 'queryLog.keepDays')).toBe(14);
    expect(await readFile(file, 'utf8')).toContain('// mine, not to be touched');
    await expect
      .poll(() => page.setting('Keep queries for').locator('input:focus').count())
      .toBe(1);

    await page.toast.getByRole('button', { name: 'Undo' }).press('Enter');
    await expectText(page.toast, 'As before: Keep queries for');
    await expect.poll(() => inForce(service, 'queryLog.keepDays')).toBe(30);
    expect(await readFile(file, 'utf8')).toBe(commented);
  });

  it('has a switch and a choice that take effect at once, and resets them', async () => {
    const service = await stage.service();
    const page = await open(service);
    await page.openAll();
    const programs = page.setting('Programs of kept queries');
    await programs.getByRole('switch').press('Space');
    await expectText(programs, 'Set in settings.json');
    await expect.poll(() => inForce(service, 'queryLog.programs')).toBe(false);
    await programs.getByRole('button', { name: 'Reset to the default' }).click();
    await expect.poll(() => inForce(service, 'queryLog.programs')).toBe(true);

    const stale = page.setting('Use expired answers');
    const choices = { 'Always, and ask behind it': 'at-once', Never: false };
    for (const [label, value] of Object.entries(choices)) {
      await stale.getByRole('combobox').selectOption({ label });
      await expect.poll(() => inForce(service, 'cache.serveStale')).toBe(value);
    }

    const policy = page.setting('Without an encrypted connection');
    await policy.getByRole('combobox').selectOption({ label: 'Ask' });
    await expectText(policy, /Default: Block/);
    await expect.poll(() => inForce(service, 'downgrade')).toBe('warn');
  });

  it('refuses a bad value at its field, says why in German, and keeps what was typed', async () => {
    const service = await stage.service();
    const page = await open(service, { locale: 'de-DE' });
    const label = 'Anfragen aufbewahren für';
    const days = page.setting(label).getByRole('spinbutton');
    await days.fill('0');
    await days.press('Enter');
    await expectText(
      page.problem(label),
      '„0“ passt nicht: Es muss eine ganze Zahl von 1 bis 3.650 sein.',
    );
    await expect.poll(() => days.inputValue()).toBe('0');
    await expect.poll(() => days.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => inForce(service, 'queryLog.keepDays')).toBe(30);

    await page.openAll();
    const listen = page.setting('Adressen für Programme');
    await listen.getByRole('textbox').fill('127.0.0.1');
    await listen.getByRole('button', { name: 'Speichern' }).click();
    const problem = page.problem('Adressen für Programme');
    await expectText(problem, '„127.0.0.1“ ist keine Adresse mit Port');
    expect(await problem.locator('[lang=en]').count()).toBe(0);
    await expectAccessible(page.page);

    await days.press('Escape');
    await expect.poll(() => days.inputValue()).toBe('30');
  });

  it('erases the history from here, after a question', async () => {
    const service = await stage.service();
    const page = await open(service);
    const erase = page.content.getByRole('button', { name: /^Erase/ });
    await erase.click();
    const dialog = page.page.getByRole('dialog');
    await expectAccessible(page.page);
    await page.page.keyboard.press('Escape');
    await expectGone(dialog);
    await expect.poll(() => page.page.locator(':focus').innerText()).toMatch(/^Erase/);
    await erase.click();
    await dialog.getByRole('button', { name: /^Erase/ }).click();
    await expectGone(dialog);
  });

  it('does not overwrite a change that another client made meanwhile, and shows it', async () => {
    const service = await stage.service();
    const page = await open(service);
    const days = page.setting('Keep queries for').getByRole('spinbutton');
    const { code } = await service.cli('config', 'set', 'queryLog.keepDays', '7');
    expect(code).toBe(0);
    await days.fill('90');
    await days.press('Enter');
    await expectText(page.problem('Keep queries for'), 'settings.json was changed meanwhile');
    await expect.poll(() => days.inputValue()).toBe('7');
    await expect.poll(() => inForce(service, 'queryLog.keepDays')).toBe(7);
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
          'queryLog.mode': { value: 'counts', lock: 'hidden', reason: 'nobody looks' },
        },
      }),
    );
    await service.restart();
    const page = await open(service);
    await page.openAll();
    const locked = page.setting('Without an encrypted connection');
    await expectText(locked, String.raw`Locked by Example Corp: clear DNS\u202e <b>leaks</b>`);
    await expectText(locked, 'corp.json');
    await expect.poll(() => locked.getByRole('combobox').isDisabled()).toBe(true);
    await expectGone(locked.getByRole('button'));

    const hidden = page.setting('What is kept of queries');
    await expectText(hidden, /Numbers only, no names\s+Locked by Example Corp: nobody looks/);
    await expectGone(hidden.locator('button, input, select, textarea, summary'));

    const recommended = page.setting('Use expired answers');
    await expectText(recommended, /Set by .*corp\.json/);
    await expect.poll(() => recommended.getByRole('combobox').isEnabled()).toBe(true);
    await expectAccessible(page.page);
    await service.stop();
  });

  it('says in German what the profile of an organisation locks, and why', async () => {
    const service = await stage.startService();
    const file = join(service.home, 'corp.json');
    const key = join(service.home, 'corp');
    const profile = async (...words: string[]) => {
      const { code, stdout, stderr } = await service.cli('profile', ...words);
      expect(code, stderr).toBe(0);
      return stdout;
    };
    await writeFile(
      file,
      JSON.stringify({
        ...{ id: 'example-corp', serial: 1, issuer: 'Example Corp', name: 'Laptops' },
        settings: {
          downgrade: { value: 'refuse', lock: 'locked', reason: 'Namen bleiben hier' },
          'cache.serveStale': { value: true },
          bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.1'] }] },
        },
      }),
    );
    const made = JSON.parse(await profile('keygen', key, '--no-password', '--json')) as {
      fingerprint: string;
    };
    await profile('sign', file, '--key', `${key}.key`);
    await profile('enrol', file, '--key', `${key}.pub`, '--fingerprint', made.fingerprint);
    const page = await open(service, { locale: 'de-DE' });
    await page.openAll();
    const locked = page.setting('Ohne verschlüsselte Verbindung');
    await expectText(locked, 'Example Corp');
    await expectText(locked, 'Namen bleiben hier');
    await expectText(locked, 'Aus dem Profil Ihrer Organisation');
    await expect.poll(() => locked.getByRole('combobox').isDisabled()).toBe(true);
    await expectText(
      page.setting('Abgelaufene Antworten nutzen'),
      'Aus dem Profil Ihrer Organisation',
    );
    await page.page.evaluate(`location.hash = '#/home'`);
    await expectText(page.content, 'Das Profil Ihrer Organisation will mehr, als es darf');
    await service.stop();
  });

  it('fits 320 px, and dark German, with nothing left in English', async () => {
    const service = await stage.service();
    const page = await open(service, { width: 320, colorScheme: 'dark', locale: 'de-DE' });
    await page.openAll();
    await expectText(page.setting('Ohne verschlüsselte Verbindung'), 'Blockieren');
    await page
      .setting('Nie unverschlüsselt für')
      .getByRole('button', { name: /hinzufügen/ })
      .click();
    await expectFitting(page.page);
    await expectAccessible(page.page);
    expect(await page.settings.locator('[lang=en]').count()).toBe(0);

    await page.content.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
    await expectText(page.setting('Without an encrypted connection'), 'What happens to queries');
    await expectFitting(page.page);
    await page.content.getByRole('combobox', { name: 'Appearance' }).selectOption('light');
    const look = await page.page.evaluate('document.documentElement.dataset.appearance');
    expect(look).toBe('light');
  });
});

async function groupsOf(service: SottoService): Promise<(string | undefined)[]> {
  const upstreams = (await inForce(service, 'upstreams')) as { group?: string }[];
  return upstreams.map(({ group }) => group);
}
