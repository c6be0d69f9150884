/** The page Exceptions over the real service. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import type { SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import {
  expectFitting,
  expectFocus,
  expectGone,
  expectHash,
  expectText,
  focusOn,
} from './expect-page.ts';
import { rulesInForce } from './in-force.ts';
import { ExceptionsPage } from './pages/exceptions-page.ts';
import { LedgerPage } from './pages/ledger-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

const corp: SettingsFile = { bypass: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] };
const day = 86_400_000;
const hostilePolicy = 'Example\u202e <b>Corp</b>\u0007';

describeWith(['sotto', 'sotto-server'], 'the page Exceptions', () => {
  const stage = uiStage();

  async function open(
    service: SottoService,
    address = '/exceptions',
    look?: Look,
  ): Promise<ExceptionsPage> {
    const rules = new ExceptionsPage(await stage.open(service, look));
    await rules.page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    return rules;
  }

  const suffixes = async (service: SottoService) =>
    (await rulesInForce(service)).map(({ suffix, to }) => `${suffix} ${to.join(' ')}`);

  it('adds, changes and removes a rule, and undoes the removal', async () => {
    const service = await stage.service();
    const rules = await open(service);
    await expectText(rules.content, 'No exception sends a name past the providers.');
    await expectAccessible(rules.page);

    await rules.button('Add an exception …').click();
    await expectText(rules.dialog, 'Queries for these names leave unencrypted');
    await expectAccessible(rules.page);
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog, 'This is no domain name');
    await expectText(rules.dialog, 'Give at least one resolver.');
    await rules.field('Domain').fill('corp.example');
    await rules.field('Answered by').fill('192.0.2.53\n192.0.2.54:5353');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, /corp\.example[\s\S]*192\.0\.2\.53, 192\.0\.2\.54:5353/);
    await expect.poll(() => suffixes(service)).toEqual(['corp.example 192.0.2.53 192.0.2.54:5353']);

    await rules.button('Change the exception for corp.example').click();
    await rules.field('Answered by').fill('192.0.2.99');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, '192.0.2.99');
    await expectGone(rules.dialog);

    await rules.button(/^Remove the exception for corp\.example$/).click();
    await expectText(rules.content, 'The exception for corp.example is removed.');
    await expectGone(rules.rules);
    await rules.button('Undo').click();
    await expectText(rules.rules, '192.0.2.99');
    await expect.poll(() => suffixes(service)).toEqual(['corp.example 192.0.2.99']);
    await expectAccessible(rules.page);
  });

  it('shows the condition of a rule in words, and changes it in one step that can be undone', async () => {
    const when = { user: ['backup'], hours: [{ from: '22:00', to: '06:00' }] };
    const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };
    const service = await stage.service({ bypass: [rule, { ...rule, when }] });
    const rules = await open(service);
    const words = 'only for the account backup, only 22:00 to 06:00';
    await expectText(rules.rules, words);
    await rules.button(`Change the exception for corp.example, ${words}`).click();
    await expect.poll(() => rules.field('Accounts').inputValue()).toBe('backup');
    await expectAccessible(rules.page);
    await rules.field('Programs').fill('firefox');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog, 'firefox is not a service such as backup.service.');
    await rules.field('Programs').fill('backup.service');
    await rules.button('Remove hours 1').click();
    await rules.button('Add hours').click();
    await rules.page.getByLabel('From', { exact: true }).fill('08:30');
    await rules.page.getByLabel('Until', { exact: true }).fill('17:00');
    await rules.page.getByLabel('Mon', { exact: true }).check();
    await expectAccessible(rules.page);
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, 'only for backup.service, only Mon 08:30 to 17:00');
    const listed = () => rulesInForce(service);
    const changed = {
      user: ['backup'],
      unit: ['backup.service'],
      hours: [{ days: ['mon'], from: '08:30', to: '17:00' }],
    };
    await expect.poll(listed).toEqual([rule, { ...rule, when: changed }]);
    await rules.button('Undo').click();
    await expectText(rules.rules, words);
    await expect.poll(listed).toEqual([rule, { ...rule, when }]);
  });

  it('shows what is unencrypted now, stops it, and takes that back', async () => {
    const service = await stage.startService({ systemResolvers: ['127.0.0.1:9'] });
    const rules = await open(service);
    await expectText(rules.content, 'No exception is in force: Sotto sends nothing unencrypted.');
    await service.json('rule', 'add', 'corp.example', '192.0.2.53');
    await expectText(rules.inForce, /Exception\s*corp\.example[\s\S]*by your settings, since /);
    await service.json('pause', '10m');
    await expectText(rules.inForce.first(), 'Paused');
    await expectText(rules.inForce.first(), /\d:\d\d left/);
    await expectAccessible(rules.page);
    await rules.tabTo('Stop');
    await rules.page.keyboard.press('Enter');
    await expectText(rules.page.locator(':focus'), 'Ended. Nothing leaves by this permission');
    await expectText(rules.inForce.first(), 'corp.example');
    await rules.button('Stop: remove the exception for corp.example').click();
    await expectGone(rules.inForce);
    await expect.poll(async () => (await service.status()).clear).toEqual([]);
    await rules.button('Undo').click();
    await expectText(rules.inForce, 'corp.example');
    await service.stop();
  });

  it('draws 30 days, tells what is not known, and leads to the entries of a day', async () => {
    const service = await stage.startService(corp);
    await service.stop();
    const began = Date.now() - 3 * day;
    const file = new Database(join(service.home, 'ledger.sqlite'));
    file.prepare('UPDATE begun SET at = ?').run(began);
    file.close();
    const noon = Math.floor(Date.now() / day) * day - day / 2;
    const down = { since: noon, until: noon + 7 * 60_000, reason: 'killed', count: null };
    await writeFile(join(service.home, 'service-down.journal'), `${JSON.stringify(down)}\n`);
    await service.restart();
    const rules = await open(service);
    await expectText(rules.content, 'Queries of any name could leave unencrypted on 1 day');
    await expect.poll(() => rules.days.count()).toBe(30);
    const told = () =>
      rules.days.evaluateAll((links: { ariaLabel: string | null }[]) =>
        links.map(({ ariaLabel }) => ariaLabel ?? ''),
      );
    await expect.poll(async () => (await told())[29]).toMatch(/: the names of \d exceptions?$/);
    const days = await told();
    expect(days[0]).toMatch(/: not known$/);
    expect(days[26]).toMatch(/\(known in part\)$/);
    expect(days[28]).toMatch(/: unencrypted for 7 minutes, once/);
    await expectAccessible(rules.page);

    await focusOn(rules.days.last());
    await rules.page.keyboard.press('ArrowLeft');
    await expectText(rules.content, /unencrypted for 7 minutes, once/);
    await rules.page.keyboard.press('Enter');
    const all = new LedgerPage(rules.page);
    await expectText(all.content, 'In force on');
    await expectText(all.ended, 'Service was down');
    await all.content.getByRole('link', { name: 'Show every day' }).click();
    await expectText(all.open, 'corp.example');
    await service.stop();
  });

  it('shows in the dialog what the service refuses, and shows changes of other clients', async () => {
    const service = await stage.service();
    const rules = await open(service);
    await rules.button('Add an exception …').click();
    await rules.field('Domain').fill('com');
    await rules.field('Answered by').fill('192.0.2.53');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog.getByRole('alert'), 'is a public suffix');
    await rules.page.keyboard.press('Escape');
    await expectGone(rules.dialog);

    await service.json('rule', 'add', 'elsewhere.example', '192.0.2.1');
    await expectText(rules.rules, 'elsewhere.example');
  });

  it('proposes a suffix for a name from the address, and says that it leaves in cleartext', async () => {
    const service = await stage.service();
    const rules = await open(service, '/exceptions?bypass=db.corp.example');
    await expectText(rules.dialog, 'Proposed for db.corp.example.');
    await expectText(rules.dialog, 'Queries for these names leave unencrypted');
    await expect.poll(() => rules.field('Domain').inputValue()).toBe('corp.example');
    await rules.button('Close').click();
    await expectHash(rules.page, '#/exceptions');
  });

  it('shows a hostile name from the address as text', async () => {
    const service = await stage.service();
    const name = encodeURIComponent('<img src=x>\u202e\u0007.corp.example');
    const rules = await open(service, `/exceptions?bypass=${name}`);
    await expectText(rules.dialog, 'Proposed for <img src=x>\\u202e\\x07.corp.example.');
    expect(await rules.dialog.locator('img').count()).toBe(0);
  });

  it('says what would happen to a name', async () => {
    const service = await stage.service(corp);
    const rules = await open(service);
    await rules.explain('host.corp.example');
    await expectText(
      rules.content,
      'host.corp.example goes unencrypted to 192.0.2.53:53, by the exception for corp.example.',
    );
    await rules.explain('www.herald.example');
    await expectText(rules.content, `www.herald.example goes encrypted to ${upstreamName}.`);
    await rules.content.getByText('Details').click();
    await expectText(
      rules.content,
      /Where nobody can be reached encrypted\s+(it is blocked|you are asked)/,
    );
    await rules.explain('localhost');
    await expectText(rules.content, 'localhost is answered on this machine.');
    await rules.explain('host.corp.example AAAA');
    await expectText(rules.content, 'host.corp.example AAAA goes unencrypted');
    await expectAccessible(rules.page);
    await rules.explain(`${'a'.repeat(64)}.example`);
    await expectText(rules.content, 'That did not work.');
  });

  it('sends names to the VPN with three clicks from Home, and takes it back', async () => {
    const service = await stage.service();
    const rules = new ExceptionsPage(await stage.open(service));
    const { keyboard } = rules.page;
    await rules.navigation.getByRole('link', { name: 'Exceptions' }).click();
    await rules.button('Add an exception …').click();
    await expectFocus(rules.field('Domain'));
    await keyboard.type('corp.example');
    await keyboard.press('Tab');
    await keyboard.type('link:tun0');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, 'goes to the resolvers of tun0');
    await expect.poll(() => suffixes(service)).toEqual(['corp.example link:tun0']);
    await rules.button('Undo').click();
    await expectGone(rules.rules);
    await expect.poll(() => suffixes(service)).toEqual([]);
  });

  it('changes where a checked name goes', async () => {
    const service = await stage.service(corp);
    const rules = await open(service);
    await rules.explain('host.corp.example');
    await rules.content.getByRole('button', { name: 'Remove the exception', exact: true }).click();
    await expectGone(rules.rules);
    await expect.poll(() => suffixes(service)).toEqual([]);
    await rules.explain('host.corp.example');
    await rules.button('Send elsewhere …').click();
    await expectText(rules.dialog, 'Proposed for host.corp.example.');
    await rules.field('Answered by').fill('192.0.2.7');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, '192.0.2.7');
    await expect.poll(() => suffixes(service)).toEqual(['corp.example 192.0.2.7']);
  });

  it('imports a file after it has shown what would change, and exports', async () => {
    const service = await stage.service(corp);
    const rules = await open(service);
    const give = (text: string) =>
      rules.page.getByLabel('File', { exact: true }).setInputFiles({
        name: 'rules.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from(text),
      });
    await rules.choose('Import …');
    await give('corp.example\n<b>x</b>\u202e 192.0.2.1\n');
    await expectText(rules.dialog, 'line 1: no resolver stands after the names');
    await expectText(rules.dialog, '<b>x</b>');
    expect(await rules.dialog.innerText()).not.toContain('\u202e');
    await expectAccessible(rules.page);

    await give('corp.example 192.0.2.77\nlab.example 192.0.2.78\n');
    await expectText(rules.dialog, '1 new exception');
    await expectText(rules.dialog, 'before: 192.0.2.53');
    await expect.poll(() => suffixes(service)).toEqual(['corp.example 192.0.2.53']);
    await expectAccessible(rules.page);
    await rules.button('Apply').click();
    await expectText(rules.rules, 'lab.example');
    await expect
      .poll(() => suffixes(service))
      .toEqual(['corp.example 192.0.2.77', 'lab.example 192.0.2.78']);

    const download = rules.page.waitForEvent('download');
    await rules.choose('Save as text');
    const file = await (await download).path();
    expect(await readFile(file, 'utf8')).toMatch(/^lab\.example\s+192\.0\.2\.78$/m);
  });

  it('shows who locked the rules, and offers no change', async () => {
    const service = await stage.startService();
    await service.stop();
    const policies = join(service.home, 'policy.d');
    await mkdir(policies, { recursive: true });
    const locked = { value: corp['bypass'], lock: true, reason: 'Ask <i>IT</i>.\u202e' };
    await writeFile(
      join(policies, 'corp.json'),
      JSON.stringify({ name: hostilePolicy, settings: { bypass: locked } }),
    );
    await service.restart();
    const rules = await open(service);
    await expectText(rules.content, 'The exceptions are set by Example\\u202e <b>Corp</b>\\x07');
    await expectText(rules.content, 'Ask <i>IT</i>.\\u202e');
    await expect.poll(() => rules.button('Add an exception …').isDisabled()).toBe(true);
    await expect
      .poll(() => rules.button(/^Remove the exception for corp\.example$/).isDisabled())
      .toBe(true);
    await expectText(rules.inForce, 'corp.example');
    await expectGone(rules.inForce.getByRole('button'));
    await expectAccessible(rules.page);
    await service.stop();
  });

  it('can be used with the keyboard alone', async () => {
    const service = await stage.service(corp);
    const rules = await open(service);
    await expectText(rules.rules, 'corp.example');
    const { keyboard } = rules.page;
    await rules.tabTo('Add an exception …');
    await keyboard.press('Enter');
    await expectFocus(rules.field('Domain'));
    await keyboard.type('lab.example');
    await keyboard.press('Tab');
    await keyboard.type('192.0.2.2');
    await rules.tabTo('Send these names unencrypted');
    await keyboard.press('Enter');
    await expectText(rules.rules, 'lab.example');

    await rules.tabTo('Remove');
    await keyboard.press('Enter');
    await expectText(rules.content, 'The exception for corp.example is removed.');
    await expectText(rules.page.locator(':focus'), 'Undo');
    await keyboard.press('Enter');
    await expectText(rules.rules, 'corp.example');
    await expectText(rules.page.locator(':focus'), 'Taken back.');
  });

  it('fits into 320 px, in German and in the dark', async () => {
    const long = `${'very-long-label-of-a-zone.'.repeat(6)}example`;
    const service = await stage.service({
      bypass: [
        { suffix: long, to: ['192.0.2.53', '[2001:db8:1111:2222:3333:4444:5555:6666]:5353'] },
      ],
    });
    const look = { width: 320, locale: 'de-DE', colorScheme: 'dark' } as const;
    const rules = await open(service, '/exceptions', look);
    await expectText(rules.rules, 'very-long-label');
    await expectFitting(rules.page);
    await expectAccessible(rules.page);
    await rules.button('Ausnahme hinzufügen …').click();
    await expectText(rules.dialog, 'Anfragen nach diesen Namen gehen unverschlüsselt hinaus');
    await expectFitting(rules.page);
    await expectAccessible(rules.page);
  });

  it('refuses a rule that is a downgrade until the person confirms it', async () => {
    const service = await stage.startService();
    const rules = await open(service);
    await rules.button('Add an exception …').click();
    await rules.field('Domain').fill('co.uk');
    await rules.field('Answered by').fill('192.0.2.53');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog, 'a public suffix');
    await rules.dialog.getByRole('switch', { name: /this is a downgrade/ }).click();
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, 'co.uk');
    const permitted = async () => (await service.status()).clear;
    await expect.poll(permitted).toMatchObject([{ class: 'policy', rule: 'co.uk', group: '' }]);
    const issues = async () => (await service.status()).health.map(({ code }) => code);
    await expect.poll(issues).toContain('wide-rule');
  });
});
