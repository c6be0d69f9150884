/** The page Profiles over the real service: joining an organisation, approving, looking again, finding and leaving. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fail, succeed } from '../../app/contract/errors.ts';
import { sayFingerprint } from '../../app/contract/settings/fingerprint.ts';
import { settingKeys } from '../../app/contract/settings/settings.ts';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectGone, expectText } from './expect-page.ts';
import { inForce } from './in-force.ts';
import { Organisation } from './organisation.ts';
import { ProfilesPage } from './pages/profiles-page.ts';
import { type Look, uiStage } from './stage.ts';

const strict = {
  downgrade: { value: 'refuse', lock: 'locked', reason: 'Names stay in the house' },
  'queryLog.mode': { value: 'counts', lock: 'hidden' },
  'cache.serveStale': { value: true, until: '2099-01-31T12:00:00Z' },
};
const bypass = { bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] } };

describeWith(['sotto', 'sotto-server'], 'the page Profiles', () => {
  const stage = uiStage();

  async function open(service: Pick<SottoService, 'home'>, look: Look = {}): Promise<ProfilesPage> {
    const page = new ProfilesPage(await stage.open(service, look));
    await page.goTo(/^(Profiles|Profile)$/);
    await page.content.getByRole('heading', { level: 1, name: /^Profiles?$/ }).waitFor();
    return page;
  }

  /** A service, and an organisation that publishes beside it. */
  async function begin(settings: object = { ...strict, ...bypass }, more: object = {}) {
    const service = await stage.startService({ downgrade: 'fallback' });
    const organisation = new Organisation(service.home);
    await organisation.publish(7, settings, more);
    return { service, organisation };
  }

  it('joins an organisation from its address, by keyboard, once the fingerprint is right', async () => {
    const { service, organisation } = await begin();
    const page = await open(service);
    await expectText(page.content, 'No organisation decides here');
    await expectAccessible(page.page);
    await page.submit();
    await expectText(page.form.getByRole('alert'), /begins with https[\s\S]*has 64 digits/);
    await expectAccessible(page.page);

    await page.joinFromAddress(organisation.source, 'a'.repeat(63));
    await expectText(page.form, '63 of 64 digits');
    await page.joinFromAddress(organisation.source, 'a'.repeat(64));
    await expectText(page.form.getByRole('alert'), 'another fingerprint');
    await expect.poll(() => inForce(service, 'downgrade')).toBe('fallback');

    await page.fingerprint.fill(sayFingerprint(organisation.fingerprint).toUpperCase());
    await page.form.getByRole('button', { name: 'Join' }).press('Enter');
    await expectText(page.content.getByRole('region', { name: 'Example Corp' }), 'Laptops');
    const told = await page.content.getByRole('region', { name: 'Example Corp' }).innerText();
    expect(told.replace(/\s+/g, '')).toContain(organisation.fingerprint);
    expect(told).toContain('example-corp');
    expect(told).toMatch(/Version\s+7, taken/);
    expect(told).toMatch(/Valid\s+without end/);
    expect(told).toContain(organisation.source);
    await expect.poll(() => inForce(service, 'downgrade')).toBe('refuse');
    await expectAccessible(page.page);
    await service.stop();
  });

  it('shows what waits beside what holds, and approves it', async () => {
    const { service, organisation } = await begin();
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await expectText(
      page.waiting,
      /Wants\s+corp\.example goes to 192\.0\.2\.53\s+Holds now\s+none/,
    );
    await expectText(page.waiting, 'Names that go elsewhere, unencrypted');
    // The profile keeps counts alone.
    await expectText(page.simulated, 'The query log keeps no whole names');
    const approve = page.content.getByRole('button', { name: /^Approve version 7/ });
    await approve.press('Enter');
    await expectText(page.dialog, /Exceptions/);
    await expectAccessible(page.page);
    await page.page.keyboard.press('Escape');
    await expectGone(page.dialog);
    await expect.poll(() => inForce(service, 'bypass')).toEqual([]);
    await approve.press('Enter');
    await page.dialog.getByRole('button', { name: 'Approve' }).press('Enter');
    await expectGone(page.waiting);
    await expect.poll(() => inForce(service, 'bypass')).toMatchObject([{ suffix: 'corp.example' }]);
    await expectText(page.setting('Exceptions'), /Profile of Example Corp\s*Without it: none/);
    await service.stop();
  });

  it('shows before the approval what it would change for queries that were asked here', async () => {
    const { service, organisation } = await begin(bypass);
    for (const name of ['a.corp.example', 'b.corp.example', 'c.far.example'])
      await askUdp(service.v4, encodeQuery(name, 'A'));
    await service.logged('c.far.example');
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await expectText(
      page.simulated,
      /2 of the last \d+ queries would be decided otherwise:\s+2\s+unencrypted, by an exception\s+[ab]\.corp\.example, [ab]\.corp\.example/,
    );
    await expectAccessible(page.page);
    await page.page.setViewportSize({ width: 320, height: 640 });
    await expectFitting(page.page);
    await service.stop();
  });

  it('shows the command instead to somebody who may not read the query log', async () => {
    const { service, organisation } = await begin();
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await page.waiting.waitFor();
    const profile = await service.json<object>('profile', 'status');
    await service.stop();
    const home = await mkdtemp(join(stage.lab.directory, 'p-'));
    const forbidden = fail('forbidden', 'you may not', 'ask an administrator');
    const told = await ToldService.start(stage.lab, home, {
      'profile.show': () => succeed(profile as never),
      'profile.effective': () => succeed({ settings: [] }),
      'settings.describe': () => succeed({ settings: [] }),
      'profile.simulate': () => forbidden,
    });
    const other = await open(told);
    await expectText(other.simulated, /Only an administrator[\s\S]*sudo sotto profile simulate/);
    await expectAccessible(other.page);
  });

  it('says what of a version has no effect, and that the system’s DNS waits for it', async () => {
    const { service, organisation } = await begin(strict);
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await page.content.getByRole('region', { name: 'Example Corp' }).waitFor();
    const shown = await service.call('profile.show', {});
    await service.stop();
    const home = await mkdtemp(join(stage.lab.directory, 'p-'));
    const part = { gaveWay: ['bypass' as const], takeWithoutRoutes: 'waits' as const };
    const profile = shown.profile && { ...shown.profile, ...part };
    const told = await ToldService.start(stage.lab, home, {
      'profile.show': () => succeed({ ...shown, profile }),
      'profile.effective': () => succeed({ settings: [] }),
      'settings.describe': () => succeed({ settings: [] }),
    });
    const facts = (await open(told)).content.getByRole('region', { name: 'Example Corp' });
    await expectText(facts, /Without effect\s+\S[^\n]*: it contradicts other settings/);
    await expectText(facts, /System DNS\s+Not taken until/);
  });

  it('says of each setting whose word holds, why, until when, and what would hold without it', async () => {
    const { service, organisation } = await begin(strict);
    const page = await open(service);
    await expectText(page.effective, /Without an encrypted connection[\s\S]*Set here/);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    const locked = page.setting('Without an encrypted connection');
    await expectText(locked, 'Block');
    await expectText(locked, 'Profile of Example Corp: Names stay in the house');
    await expectText(locked, 'Without it: Allow unencrypted');
    await expectText(page.setting('Use expired answers'), /until 31 Jan 2099/);
    await expect.poll(() => page.setting('Waiting before it is used').count()).toBe(0);

    await page.search.fill('verlauf');
    await expectText(page.content, /\d+ settings?/);
    await page.search.fill('in the house');
    await expectText(page.content, '1 setting');
    await expectText(page.effective, 'downgrade');
    await page.search.fill('zeppelin');
    await expectText(page.content, 'No setting is called that.');
    await page.search.fill('');
    await page.content.getByRole('button', { name: /^Show all/ }).press('Enter');
    await expect.poll(() => page.effective.getByRole('heading').count()).toBe(settingKeys.length);
    await expectAccessible(page.page);
    await service.stop();
  });

  it('looks at the source now, and says what came of it', async () => {
    const { service, organisation } = await begin(strict);
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    const look = page.content.getByRole('button', { name: 'Look now' });
    await look.press('Enter');
    await expectText(page.page.locator('body'), 'This version is the newest.');
    await organisation.publish(8, { ...strict, ...bypass, typo: { value: 1 } });
    await look.click();
    await expectText(page.page.locator('body'), 'Version 8 is in force.');
    await expectText(page.content, /This version has errors[\s\S]*there is no such setting/);
    await organisation.publish(3, strict);
    await look.click();
    await expectText(page.content, /in vain|came was refused/);
    await expectText(page.content.getByRole('region', { name: 'Example Corp' }), /Version\s+8/);
    await service.stop();
  });

  it('joins from files, and tells that the signature is missing', async () => {
    const { service, organisation } = await begin(strict, { notAfter: '2020-01-01T00:00:00Z' });
    const page = await open(service);
    await page.form.getByRole('button', { name: 'Files' }).click();
    const chosen = page.form.getByLabel('The three files');
    await page.fingerprint.fill(organisation.fingerprint);
    const [profile = '', signature = '', key = ''] = organisation.files;
    await chosen.setInputFiles([profile, key]);
    await page.submit();
    await expectText(page.form.getByRole('alert'), 'Still missing: NAME.json.minisig.');
    await chosen.setInputFiles([key, signature, profile]);
    await page.submit();
    await expectText(page.content, /Out of date\s+It was valid until 1 Jan 2020/);
    await expectGone(page.content.getByRole('button', { name: 'Look now' }));
    await service.stop();
  });

  it('leaves the organisation, after it has said what changes', async () => {
    const { service, organisation } = await begin(strict);
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await page.content.getByRole('button', { name: /^Leave/ }).click();
    await expectText(
      page.dialog,
      'Without an encrypted connection: Allow unencrypted instead of Block',
    );
    await expectAccessible(page.page);
    await page.dialog.getByRole('button', { name: 'Leave' }).press('Enter');
    await expectText(page.content, 'No organisation decides here');
    await expect.poll(() => inForce(service, 'downgrade')).toBe('fallback');
    await service.stop();
  });

  it('is filled in by a link, but for the fingerprint, and does nothing by itself', async () => {
    const { service, organisation } = await begin(strict);
    const page = await open(service);
    const asked = new URLSearchParams({
      source: organisation.source,
      ring: 'canary',
      allow: 'log,everything',
      fingerprint: organisation.fingerprint,
    });
    await page.page.evaluate(`location.hash = ${JSON.stringify(`#/profiles?${asked}`)}`);
    await expectText(page.content, /A link has filled this in[\s\S]*Anybody can make a link/);
    const source = page.form.getByRole('textbox', { name: 'Address', exact: true });
    await expect.poll(() => source.inputValue()).toBe(organisation.source);
    await expect
      .poll(() => page.form.getByRole('textbox', { name: 'Ring' }).inputValue())
      .toBe('canary');
    await expect.poll(() => page.form.getByRole('checkbox', { checked: true }).count()).toBe(1);
    await expect.poll(() => page.fingerprint.inputValue()).toBe('');
    await expect.poll(() => inForce(service, 'downgrade')).toBe('fallback');

    await page.fingerprint.fill(organisation.fingerprint);
    await page.submit();
    await expectText(page.content.getByRole('region', { name: 'Example Corp' }), /Ring\s+canary/);
    await expectGone(page.content.getByText('A link has filled this in'));
    await page.page.evaluate(
      `location.hash = '#/profiles?source=https%3A%2F%2Fb.example%2Fp.json'`,
    );
    await expectText(page.content, /It leads to another organisation/);
    await service.stop();
  });

  it('says all of it in German, and fits 320 px', async () => {
    const { service, organisation } = await begin();
    const page = await open(service, { width: 320, colorScheme: 'dark', locale: 'de-DE' });
    await expectFitting(page.page);
    await page.submit();
    await expectAccessible(page.page);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await expectText(page.content, 'Example Corp wartet auf eine Zustimmung');
    await expectFitting(page.page);
    await expectAccessible(page.page);
    expect(await page.content.locator('[lang=en]').count()).toBe(0);
    await page.content.getByRole('button', { name: 'Verlassen …' }).click();
    await expectText(page.dialog, 'Das ändert sich');
    await expectFitting(page.page);
    await service.stop();
  });

  it('says beside a locked control on Home who locked it, and why', async () => {
    const { service, organisation } = await begin(strict);
    const page = await open(service);
    await page.joinFromAddress(organisation.source, organisation.fingerprint);
    await page.content.getByRole('region', { name: 'Example Corp' }).waitFor();
    await page.goTo('Home');
    await page.content.getByText('Details', { exact: true }).click();
    await expectText(page.content, 'Locked by Example Corp: Names stay in the house');
    await expectAccessible(page.page);
    await service.stop();
  });

  it('shows the command to somebody who is no administrator, with all that was filled in', async () => {
    const forbidden = fail('forbidden', 'you may not', 'ask an administrator');
    const home = await mkdtemp(join(stage.lab.directory, 'p-'));
    const service = await ToldService.start(stage.lab, home, {
      'profile.show': () => succeed({ profile: null, delivery: null }),
      'profile.effective': () => succeed({ settings: [] }),
      'settings.describe': () => succeed({ settings: [] }),
      'profile.enrol': () => forbidden,
    });
    const page = await open(service);
    await page.form.getByRole('checkbox', { name: 'What the query log keeps' }).check();
    await page.joinFromAddress("https://it.example.com/a'b.json", 'a1'.repeat(32));
    await expectText(page.dialog, 'An administrator has to do this');
    await expectText(
      page.dialog,
      `sudo sotto profile enrol 'https://it.example.com/a'\\''b.json' --allow log --fingerprint ${'a1'.repeat(32)}`,
    );
    await expectAccessible(page.page);
    await page.page.keyboard.press('Escape');
    await expectGone(page.dialog);
    await expect.poll(() => page.fingerprint.inputValue()).toBe('a1'.repeat(32));
  });

  it('shows hostile names of a policy as text', async () => {
    const { service } = await begin();
    await service.stop();
    await mkdir(join(service.home, 'policy.d'), { recursive: true });
    await writeFile(
      join(service.home, 'policy.d', 'a.json'),
      JSON.stringify({
        name: 'A\u202e<b>B</b>',
        settings: { downgrade: { value: 'refuse', lock: true, reason: '<i>why</i>' } },
      }),
    );
    await service.restart();
    const page = await open(service);
    await expectText(page.effective, String.raw`Policy A\u202e<b>B</b>: <i>why</i>`);
    await service.stop();
  });
});
