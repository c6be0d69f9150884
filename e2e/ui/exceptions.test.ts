/** The page Exceptions over the real service. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { NameClaim } from '../../app/contract/settings/rule-methods.ts';
import { describeWith } from '../rig/available.ts';
import type { SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting } from './expect-fitting.ts';
import { expectGone, expectText } from './expect-page.ts';
import { ExceptionsPage } from './pages/exceptions-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

const corp: SettingsFile = { bypass: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] };
const hostileLink = 'wlan0\u202e';
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

  const suffixes = async (service: SottoService) => {
    const { rules } = await service.json<{ rules: { suffix: string; to: string[] }[] }>(
      ...['rule', 'list'],
    );
    return rules.map(({ suffix, to }) => `${suffix} ${to.join(' ')}`);
  };

  it('adds, changes and removes a rule, and undoes the removal', async () => {
    const service = await stage.startService();
    const rules = await open(service);
    await expectText(rules.content, 'No exception sends a name past the providers.');
    await expectAccessible(rules.page);

    await rules.button('Add an exception …').click();
    await expectText(rules.dialog, 'Queries for these names leave unencrypted');
    await expectAccessible(rules.page);
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog, 'This is no domain name');
    await expectText(rules.dialog, 'Give at least one resolver.');
    await rules.field('Suffix').fill('corp.example');
    await rules.field('Resolvers').fill('192.0.2.53\n192.0.2.54:5353');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, /corp\.example[\s\S]*192\.0\.2\.53, 192\.0\.2\.54:5353/);
    expect(await suffixes(service)).toEqual(['corp.example 192.0.2.53 192.0.2.54:5353']);

    await rules.button('Change the exception for corp.example').click();
    await rules.field('Resolvers').fill('192.0.2.99');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, '192.0.2.99');
    await expectGone(rules.dialog);

    await rules.button('Remove the exception for corp.example').click();
    await expectText(rules.content, 'The exception for corp.example is removed.');
    await expectGone(rules.rules);
    await rules.button('Undo').click();
    await expectText(rules.rules, '192.0.2.99');
    expect(await suffixes(service)).toEqual(['corp.example 192.0.2.99']);
    await expectAccessible(rules.page);
    await service.stop();
  });

  it('keeps and shows the condition of a rule that it changes', async () => {
    const when = { user: ['backup'], hours: [{ from: '22:00', to: '06:00' }] };
    const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };
    const service = await stage.startService({ bypass: [rule, { ...rule, when }] });
    const rules = await open(service);
    const words = 'when user backup; hours 22:00-06:00';
    await expectText(rules.rules, 'only for backup, 22:00–06:00');
    await rules.button(`Change the exception for corp.example ${words}`).click();
    expect(await rules.field('Accounts').inputValue()).toBe('backup');
    await expectAccessible(rules.page);
    await rules.field('Resolvers').fill('192.0.2.99');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, '192.0.2.99');
    const listed = async () => (await service.json<{ rules: object[] }>('rule', 'list')).rules;
    expect(await listed()).toEqual([rule, { ...rule, to: ['192.0.2.99'], when }]);
    await rules.button(`Remove the exception for corp.example ${words}`).click();
    await expectText(rules.content, `The exception for corp.example ${words} is removed.`);
    expect(await listed()).toEqual([rule]);
  });

  it('shows in the dialog what the service refuses, and shows changes of other clients', async () => {
    const service = await stage.startService();
    const rules = await open(service);
    await rules.button('Add an exception …').click();
    await rules.field('Suffix').fill('com');
    await rules.field('Resolvers').fill('192.0.2.53');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog.getByRole('alert'), 'is a public suffix');
    await rules.page.keyboard.press('Escape');
    await expectGone(rules.dialog);

    await service.json('rule', 'add', 'elsewhere.example', '192.0.2.1');
    await expectText(rules.rules, 'elsewhere.example');
    await service.stop();
  });

  it('proposes a suffix for a name from the address, and says that it leaves in cleartext', async () => {
    const service = await stage.startService();
    const rules = await open(service, '/exceptions?bypass=db.corp.example');
    await expectText(rules.dialog, 'Proposed for db.corp.example.');
    await expectText(rules.dialog, 'Queries for these names leave unencrypted');
    expect(await rules.field('Suffix').inputValue()).toBe('corp.example');
    await rules.button('Close').click();
    expect(new URL(rules.page.url()).hash).toBe('#/exceptions');
    await service.stop();
  });

  it('shows a hostile name from the address as text', async () => {
    const service = await stage.startService();
    const name = encodeURIComponent('<img src=x>\u202e\u0007.corp.example');
    const rules = await open(service, `/exceptions?bypass=${name}`);
    await expectText(rules.dialog, 'Proposed for <img src=x>\\u202e\\x07.corp.example.');
    expect(await rules.dialog.locator('img').count()).toBe(0);
    await service.stop();
  });

  it('shows what may leave unencrypted now, ends it, and draws the days', async () => {
    const service = await stage.startService({ ...corp, systemResolvers: ['127.0.0.1:9'] });
    const rules = await open(service);
    await expectText(rules.content, 'Nothing may leave unencrypted now, except queries for the');
    const days = rules.content.getByRole('slider', { name: 'The last 30 days' });
    await expectText(rules.content, 'On none of these days');
    expect(await days.getAttribute('aria-valuetext')).toMatch(/: nothing could leave unencrypted/);
    await days.press('Home');
    expect(await days.getAttribute('aria-valuetext')).toMatch(/: not known/);

    await service.cli('off');
    await expectText(rules.now, 'Off');
    await expectAccessible(rules.page);
    await rules.now.getByRole('button', { name: /^Stop now/ }).click();
    await expectText(rules.content, 'Nothing may leave unencrypted now, except queries for the');
    await days.press('End');
    await expect.poll(() => days.getAttribute('aria-valuetext')).toMatch(/by 1 permission\.$/);
    await days.press('Enter');
    await expectText(rules.content, 'Ended');
    expect(rules.page.url()).toMatch(/#\/ledger\?day=\d{4}-\d\d-\d\d$/);
    await expectAccessible(rules.page);
    await service.stop();
  });

  it('makes an exception hold for one account at some hours, by the form', async () => {
    const service = await stage.startService(corp);
    const rules = await open(service);
    await rules.button('Change the exception for corp.example').click();
    await rules.dialog.getByText('Only for some, or at some times').click();
    await rules.field('Accounts').fill('backup, 1001');
    await rules.dialog.getByLabel('From').fill('22:00');
    await rules.dialog.getByLabel('Until').fill('06:00');
    await rules.dialog.getByRole('checkbox', { name: 'Mon' }).check();
    await expectAccessible(rules.page);
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, 'only for backup and 1001, 22:00–06:00 (Mon)');
    const { rules: listed } = await service.json<{ rules: object[] }>('rule', 'list');
    const hours = [{ days: ['mon'], from: '22:00', to: '06:00' }];
    expect(listed).toEqual([
      { suffix: 'corp.example', to: ['192.0.2.53'], when: { user: ['backup', 1001], hours } },
    ]);
    await rules.button(/^Change the exception for corp.example/).click();
    await rules.field('Accounts').fill('no such account!');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog.getByRole('alert'), 'neither the name of an account');
    await service.stop();
  });

  it('says what would happen to a name', async () => {
    const service = await stage.startService(corp);
    const rules = await open(service);
    await rules.explain('host.corp.example');
    await expectText(
      rules.content,
      'host.corp.example A goes unencrypted to 192.0.2.53:53, by the exception for corp.example.',
    );
    await expectText(rules.content, 'Exception');
    await rules.explain('www.herald.example');
    await expectText(rules.content, `www.herald.example A goes encrypted to ${upstreamName}.`);
    await rules.content.getByText('Details', { exact: true }).click();
    await expectText(
      rules.content,
      /Without an encrypted connection\s+(it is blocked|you are asked)/,
    );
    await rules.button('Always send it elsewhere …').click();
    expect(await rules.field('Suffix').inputValue()).toBe('herald.example');
    await rules.page.keyboard.press('Escape');
    await rules.explain('host.corp.example');
    await rules.button('Change this exception …').click();
    expect(await rules.field('Resolvers').inputValue()).toBe('192.0.2.53');
    await rules.page.keyboard.press('Escape');
    await rules.explain('localhost');
    await expectText(rules.content, 'localhost A is answered on this machine.');
    await expectAccessible(rules.page);
    await rules.explain(`${'a'.repeat(64)}.example`);
    await expectText(rules.content, 'That did not work.');
    await service.stop();
  });

  it('imports a file after it has shown what would change, and exports', async () => {
    const service = await stage.startService(corp);
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
    expect(await suffixes(service)).toEqual(['corp.example 192.0.2.53']);
    await expectAccessible(rules.page);
    await rules.button('Apply').click();
    await expectText(rules.rules, 'lab.example');
    expect(await suffixes(service)).toEqual(['corp.example 192.0.2.77', 'lab.example 192.0.2.78']);

    const download = rules.page.waitForEvent('download');
    await rules.choose('Save as text');
    const file = await (await download).path();
    expect(await readFile(file, 'utf8')).toMatch(/^lab\.example\s+192\.0\.2\.78$/m);
    await service.stop();
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
    expect(await rules.button('Add an exception …').isDisabled()).toBe(true);
    expect(await rules.button('Remove the exception for corp.example').isDisabled()).toBe(true);
    await expectAccessible(rules.page);
    await service.stop();
  });

  it('can be used with the keyboard alone', async () => {
    const service = await stage.startService(corp);
    const rules = await open(service);
    await expectText(rules.rules, 'corp.example');
    const { keyboard } = rules.page;
    await rules.tabTo('Add an exception …');
    await keyboard.press('Enter');
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
    await service.stop();
  });

  it('fits into 320 px, in German and in the dark', async () => {
    const long = `${'very-long-label-of-a-zone.'.repeat(6)}example`;
    const service = await stage.startService({
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
    await service.stop();
  });

  it('refuses a rule that is a downgrade until the person confirms it', async () => {
    const service = await stage.startService();
    const rules = await open(service);
    await rules.button('Add an exception …').click();
    await rules.field('Suffix').fill('co.uk');
    await rules.field('Resolvers').fill('192.0.2.53');
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.dialog, 'a public suffix');
    await rules.dialog.getByRole('switch', { name: /this is a downgrade/ }).click();
    await rules.button('Send these names unencrypted').click();
    await expectText(rules.rules, 'co.uk');
    const { clear, health } = await service.status();
    expect(clear).toMatchObject([{ class: 'policy', rule: 'co.uk', group: '' }]);
    expect(health.map(({ code }) => code)).toContain('wide-rule');
  });

  it('shows what links claim, with its source, and takes the answers', async () => {
    const answers: unknown[] = [];
    const claim = { by: 'resolved' as const, to: ['10.8.0.1:53'] };
    const claims: NameClaim[] = [
      { ...claim, suffix: 'corp.example', link: 'tun0', vpn: true, state: 'believed' },
      { ...claim, suffix: 'lan.example', link: hostileLink, vpn: false, state: 'open' },
      { ...claim, suffix: '', link: 'tun0', vpn: true, state: 'too-wide' },
    ];
    const service = await ToldService.start(
      stage.lab,
      await mkdtemp(join(stage.lab.directory, 't-')),
      {
        'rule.list': () => ({
          ok: true,
          value: {
            rules: [],
            resting: [],
            inForce: [],
            claims,
            locked: false,
            lockedBy: null,
            reason: null,
          },
        }),
        'rule.answer': (answer) => {
          answers.push(answer);
          const [, answered] = claims.splice(1, 1, {
            ...claim,
            suffix: 'lan.example',
            link: hostileLink,
            vpn: false,
            state: 'refused',
          });
          return { ok: true, value: answered ?? (claims[1] as NameClaim) };
        },
      },
    );
    const rules = new ExceptionsPage(await stage.open(service));
    await rules.page.evaluate(`location.hash = '/exceptions'`);
    await expectText(rules.claims, /corp\.example unencrypted, to its link/);
    await expectText(rules.claims, 'Told by systemd-resolved: tun0, 10.8.0.1:53');
    await expectText(rules.claims, 'never learned');
    await expectText(rules.claims, 'wlan0\\u202e');
    await expectAccessible(rules.page);
    await rules.button('Keep encrypted: lan.example').click();
    await expectText(rules.claims, 'stays encrypted here');
    expect(answers).toEqual([{ suffix: 'lan.example', link: hostileLink, believe: false }]);
  });
});
