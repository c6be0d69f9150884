/** The page Providers over the real service: order, adding and removing, speed, the day, and the report of a test. */
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { startMuteServer } from '../rig/peers/mute-server.ts';
import { freePort } from '../rig/ports.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectFocus, expectGone, expectText, focusOn } from './expect-page.ts';
import { inForce } from './in-force.ts';
import { UpstreamsPage } from './pages/upstreams-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';
import { providerDay, threeProviders } from './told-providers.ts';

/** Protocol number, properties, then fields. */
const stamp = (protocol: number, ...fields: (string | number)[]) => {
  const octets = fields.flatMap((field) =>
    typeof field === 'number' ? [field] : [field.length, ...Buffer.from(field, 'latin1')],
  );
  return `sdns://${Buffer.from([protocol, ...Array(8).fill(0), ...octets]).toString('base64url')}`;
};

describeWith(['sotto', 'sotto-server'], 'the page Providers', () => {
  const stage = uiStage();

  /** "garden", which responds, before others. */
  async function addTo(service: SottoService, others: object[]): Promise<SottoService> {
    const [first] = (await inForce(service, 'upstreams')) as object[];
    await service.apply({ upstreams: [first, ...others] });
    return service;
  }

  /** The others do not respond. */
  async function withThree(service?: SottoService): Promise<SottoService> {
    const dead = async (id: string) => ({
      id,
      transport: 'dot',
      address: `127.0.0.1:${await freePort()}`,
      name: `${id}.example`,
    });
    return await addTo(service ?? (await stage.service()), [
      await dead('shed'),
      await dead('pond'),
    ]);
  }

  async function order(service: SottoService): Promise<string[]> {
    return (await service.status()).upstreams.map(({ id }) => id);
  }

  async function open(service: SottoService, look?: Look): Promise<UpstreamsPage> {
    const upstreams = new UpstreamsPage(await stage.open(service, look));
    await upstreams.show();
    await expectText(upstreams.names, upstreamName);
    return upstreams;
  }

  it('shows an upstream’s transport, what proves its identity, and what it has cost', async () => {
    const service = await stage.service();
    const upstreams = await open(service);
    const garden = upstreams.upstream(upstreamName);
    expect(await garden.innerText()).not.toContain('TLS');
    await upstreams.unfold(garden, 'Details');
    await expectText(garden, /T-DNS · TLS 1\.3 · name checked/);
    await expectText(garden, /Must prove to be\s+resolver\.demo\.example/);
    await expectText(garden, /[1-9]\d* connections? opened/);
    await expectText(garden, /\d+ over an open connection .* sent, .* received/);
    await expectAccessible(upstreams.page);
  });

  it('changes the order with the arrow keys, keeps the focus, and undoes the change', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await expectText(upstreams.names, 'garden\nshed\npond');
    const { keyboard } = upstreams.page;
    await focusOn(upstreams.grip('garden'));
    await keyboard.press('ArrowDown');
    await expectText(upstreams.names, 'shed\ngarden\npond');
    await expectText(upstreams.said, 'garden is now 2 of 3.');
    await keyboard.press('ArrowDown');
    await expectText(upstreams.names, 'shed\npond\ngarden');
    await expect.poll(() => order(service)).toEqual(['shed', 'pond', 'garden']);
    await expectFocus(upstreams.grip('garden'));
    await keyboard.press('ArrowUp');
    await expectText(upstreams.names, 'shed\ngarden\npond');
    await expectAccessible(upstreams.page);
    await upstreams.press('Undo');
    await expectText(upstreams.names, 'shed\npond\ngarden');
    await expectText(upstreams.toasts, 'The change was undone.');
  });

  it('changes the order by dragging, and by the menu', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await expectText(upstreams.names, 'garden\nshed\npond');
    const { height } = (await upstreams.upstream('pond').boundingBox()) ?? { height: 0 };
    await upstreams.grip('garden').dragTo(upstreams.upstream('pond'), {
      targetPosition: { x: 40, y: height - 8 },
    });
    await expectText(upstreams.names, 'shed\npond\ngarden');
    await upstreams.choose('garden', 'Move up');
    await expectText(upstreams.names, 'shed\ngarden\npond');
    await expect.poll(() => order(service)).toEqual(['shed', 'garden', 'pond']);
  });

  it('removes one and brings it back, but does not undo another client’s change', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await upstreams.choose('shed', 'Remove');
    await expectText(upstreams.said, 'shed was removed.');
    await expectGone(upstreams.upstream('shed'));
    await expect.poll(() => order(service)).toEqual(['garden', 'pond']);
    await upstreams.press('Undo');
    await expectText(upstreams.names, 'garden\nshed\npond');

    await upstreams.choose('pond', 'Remove');
    await expectText(upstreams.said, 'pond was removed.');
    await service.json('config', 'set', 'cache.entries', '5000');
    await upstreams.press('Undo');
    await expectText(upstreams.toasts, 'so nothing was undone');
    await expect.poll(() => order(service)).toEqual(['garden', 'shed']);
  });

  it('adds one by its address, and says what is wrong with an address where it was typed', async () => {
    const service = await stage.service();
    const upstreams = await open(service);
    await upstreams.openAdding('By address');
    await upstreams.dialog.getByLabel('IP addresses').fill('not an address');
    await upstreams.confirm('Add');
    await expectText(upstreams.dialog.getByRole('alert'), /not.*address/);
    await expectAccessible(upstreams.page);
    await upstreams.dialog.getByLabel('IP addresses').fill('192.0.2.1, 192.0.2.2');
    await upstreams.dialog.getByLabel('Name on its certificate').fill('dns.example.net');
    await upstreams.dialog.getByLabel('What you call it').fill('mine');
    await upstreams.page.keyboard.press('Enter');
    await expectText(upstreams.names, 'garden\nmine');
    await expectText(upstreams.said, 'mine was added, as the last one.');
    await upstreams.unfold(upstreams.upstream('mine'), 'Details');
    await expectText(upstreams.upstream('mine'), /Address\s+192\.0\.2\.1, 192\.0\.2\.2/);
  });

  it('adds one by its stamp, and refuses a stamp of an unsupported transport by name', async () => {
    const service = await stage.service();
    const upstreams = await open(service);
    await upstreams.openAdding('By link');
    const field = upstreams.dialog.getByLabel('DNS stamp');
    await field.fill(stamp(2, '192.0.2.1', '', 'dns.example', '/dns-query'));
    await upstreams.confirm('Add');
    await expectText(upstreams.dialog.getByRole('alert'), 'the stamp is for DNS over HTTPS');
    await expectAccessible(upstreams.page);
    await field.fill(stamp(3, '192.0.2.1', 'h'.repeat(32), 'ns.example'));
    await upstreams.page.keyboard.press('Enter');
    await expectText(upstreams.names, 'garden\nns.example');
    await upstreams.unfold(upstreams.upstream('ns.example'), 'Details');
    await expectText(upstreams.upstream('ns.example'), /ns\.example \+ 1 pinned certificate/);
  });

  it('adds an EncDNS server by its link, and says what it hides and what not', async () => {
    const service = await stage.service();
    const upstreams = await open(service);
    await upstreams.openAdding('By link');
    const field = upstreams.dialog.getByLabel('EncDNS address');
    await field.fill('encdns://enc.example?key=12');
    await expectText(upstreams.dialog, /hides what is asked from the resolver that carries it/);
    await upstreams.confirm('Add');
    await expectText(upstreams.dialog.getByRole('alert'), '64 hexadecimal digits');
    await expectAccessible(upstreams.page);
    await field.fill(`encdns://enc.example?key=${'f0'.repeat(32)}`);
    await upstreams.confirm('Add');
    await expectText(upstreams.names, 'garden\nenc.example');
    const added = upstreams.upstream('enc.example');
    await upstreams.unfold(added, 'Details');
    await expectText(added, /Address\s+enc\.example, through the network’s resolvers/);
    await expectText(added, /Must prove to be\s+whoever has the key f0f0f0f0…/);
    await expectText(added, /Hides\s+EncDNS hides what is asked .* It does not hide when/);
    await expectAccessible(upstreams.page);
  });

  it('adds one of the catalogue with the keyboard alone, and gives the focus back', async () => {
    const service = await stage.service();
    const upstreams = await open(service);
    const { keyboard } = upstreams.page;
    await focusOn(upstreams.content.getByRole('button', { name: 'Add …' }));
    await keyboard.press('Enter');
    await expectText(upstreams.offered, 'Quad9 Foundation, Switzerland');
    await upstreams.unfold(upstreams.offered.getByRole('listitem').nth(2), 'Details');
    await expectText(
      upstreams.offered,
      /Its operator ended it\s*2 Nov 2026, https:\/\/mullvad\.net/,
    );
    await expectAccessible(upstreams.page);
    await keyboard.press('Escape');
    await expectGone(upstreams.dialog);
    await keyboard.press('Enter');
    await focusOn(upstreams.dialog.getByRole('button', { name: 'Add Cloudflare' }));
    await keyboard.press('Enter');
    await expectText(upstreams.names, 'garden\nCloudflare');
    await expectText(upstreams.said, 'Cloudflare was added, as the last one.');
    await expect.poll(() => order(service)).toEqual(['garden', 'cloudflare']);
    await upstreams.openAdding();
    await expectText(upstreams.offered, 'in use');
  });

  it('is two steps away from Home: another provider is the first, and it can be undone', async () => {
    const service = await withThree();
    const home = new UpstreamsPage(await stage.open(service));
    await home.content.getByRole('link', { name: 'garden' }).click();
    const pond = home.grip('pond');
    await focusOn(home.content.getByRole('button', { name: 'Make first: pond' }));
    await home.page.keyboard.press('Enter');
    await expectText(home.names, 'pond\ngarden\nshed');
    await expectText(home.said, 'pond is the first now.');
    await expect.poll(() => order(service)).toEqual(['pond', 'garden', 'shed']);
    await expectFocus(pond);
    await focusOn(home.content.getByRole('button', { name: 'Undo' }));
    await home.page.keyboard.press('Enter');
    await expectText(home.names, 'garden\nshed\npond');
    await expectFocus(pond);
  });

  it('compares the speed of all in use, the fastest first, and says why one has none', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await focusOn(upstreams.content.getByRole('button', { name: 'Compare speed' }));
    await upstreams.page.keyboard.press('Enter');
    await expectText(upstreams.content, '3 of 3 measured');
    const lines = upstreams.compared.getByRole('listitem');
    await upstreams.pressUntil('Compare again', lines.first(), /^garden\s+[\d.]+ (ms|µs)/);
    await expect.poll(() => lines.count()).toBe(3);
    await expectText(upstreams.compared, /shed\s+No answer: /);
    await expectAccessible(upstreams.page);
  });

  it('compares the catalogue, too, only when that is chosen, and stops on request', async () => {
    // Resolvers are measured through the proxy of an upstream; this one keeps all of them waiting.
    const proxy = `socks5://127.0.0.1:${await startMuteServer(stage.lab)}`;
    const behind = {
      id: 'behind',
      transport: 'dot',
      address: '192.0.2.1',
      name: 'far.example',
      proxy,
    };
    const service = await addTo(await stage.service(), [behind]);
    const upstreams = await open(service);
    await upstreams.page.getByRole('checkbox').check();
    await upstreams.press('Compare speed');
    await expectText(upstreams.compared, 'Cloudflare · not in use');
    await expectText(upstreams.content, /\d of \d+ measured/);
    await upstreams.press('Cancel');
    await expectText(upstreams.content, /Stopped: \d+ of \d+ measured/);
    await expectText(upstreams.compared, 'not measured');
    await expectAccessible(upstreams.page);
  });

  it('draws the last 24 hours, tells each interval by keys, and leaves nothing unexplained', async () => {
    const home = await mkdtemp(join(stage.lab.directory, 'told-'));
    const told = await ToldService.start(stage.lab, home, providerDay, threeProviders);
    const upstreams = new UpstreamsPage(await stage.open(told));
    await upstreams.show();
    const day = upstreams.day('Quad9');
    await focusOn(day);
    const value = () => day.getAttribute('aria-valuetext');
    await expect.poll(value).toMatch(/queries answered, usually in .*, 60 attempts failed$/);
    const { keyboard } = upstreams.page;
    await keyboard.press('Home');
    await expect.poll(value).toMatch(/: 40 queries answered, usually in .* 95 of 100 within/);
    for (let place = 0; place < 72; place++) await keyboard.press('ArrowRight');
    await expect.poll(value).toMatch(/: 12 attempts failed$/);
    await expectText(upstreams.content, 'none answered');
    await keyboard.press('ArrowLeft');
    await expect.poll(value).not.toContain('failed');
    await day.hover({ position: { x: 40, y: 10 } });
    await expectText(upstreams.upstream('Quad9'), /\d\d:\d\d.*: \d+ queries answered/);
    await expectText(upstreams.upstream('attic'), 'Not asked in the last 24 hours.');
    await expectAccessible(upstreams.page);

    const link = upstreams.page.getByRole('navigation').getByRole('link', { name: 'Home' });
    await link.first().click();
    await upstreams.content.getByRole('img', { name: /^Quad9 in the last 24 hours: / }).waitFor();
  });

  it('says why there is no picture where queries are not kept', async () => {
    const service = await stage.service({ queryLog: { mode: 'off' } });
    const upstreams = await open(service);
    await expectText(upstreams.content, 'Queries are not kept, so there is no picture of them.');
    await expectAccessible(upstreams.page);
  });

  it('says the verdict of a test in a sentence, and folds the steps and certificates', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    const report = upstreams.report('garden');
    const works = /garden works: it proved who it is, and answered encrypted in /;
    await upstreams.pressUntil('Test garden', report, works);
    expect(await report.innerText()).not.toContain('TLS');
    await upstreams.unfold(report, 'Step by step');
    await expectText(report, /STARTTLS[\s\S]*encrypted and padded[\s\S]*answer/);
    await expectText(report, 'TLS 1.3');
    await expectText(report, /Cipher\s+\S+/);
    await expectText(report, 'the certificate is for resolver.demo.example');
    await expectText(report, /Pin\s+[A-Za-z0-9+/]{43}=/);
    await expectText(report, 'How it behaves on a second connection');
    await expectAccessible(upstreams.page);

    await upstreams.press('Test shed');
    await expectText(
      upstreams.report('shed'),
      /shed does not work: .*\s+The test asked for no name/,
    );
    await expectAccessible(upstreams.page);
    await upstreams.report('garden').getByRole('button', { name: 'Close' }).click();
    await expectGone(report);
  });

  it('lets an upstream forget us, after it has explained what that does', async () => {
    const service = await stage.service();
    const upstreams = await open(service);
    await upstreams.choose(upstreamName, 'Let it forget us …');
    await expectText(upstreams.dialog, 'nobody can link what comes with what was');
    await expectAccessible(upstreams.page);
    await upstreams.confirm('Forget');
    await expectText(upstreams.toasts, /tickets? dropped; the next connection is a stranger’s/);
  });

  it('says who locked the list, and then allows no change', async () => {
    const service = await withThree(await stage.startService());
    await mkdir(join(service.home, 'policy.d'));
    const value = await inForce(service, 'upstreams');
    const lock = { value, lock: true, reason: 'Everybody here asks the same.' };
    await writeFile(
      join(service.home, 'policy.d', 'example.json'),
      JSON.stringify({ name: 'Example Corp', settings: { upstreams: lock } }),
    );
    await service.stop();
    await service.restart();
    const upstreams = await open(service);
    await expectText(upstreams.content, 'Set by Example Corp.');
    await expectText(upstreams.content, 'Everybody here asks the same.');
    await expect
      .poll(() => upstreams.content.getByRole('button', { name: /^Move / }).count())
      .toBe(0);
    await expect
      .poll(() => upstreams.content.getByRole('button', { name: 'Add …' }).isDisabled())
      .toBe(true);
    await expect
      .poll(() => upstreams.content.getByRole('button', { name: /^Make first/ }).count())
      .toBe(0);
    await expectAccessible(upstreams.page);
    await service.stop();
  });

  it('fits into 320 px, and into German in the dark, with a report and a dialog open', async () => {
    const service = await withThree();
    const narrow = await open(service, { width: 320 });
    await narrow.pressUntil('Test garden', narrow.report('garden'), /garden works/);
    await narrow.unfold(narrow.report('garden'), 'Step by step');
    await expectFitting(narrow.page);
    await expectAccessible(narrow.page);

    const german = await open(service, { width: 320, locale: 'de-DE', colorScheme: 'dark' });
    await german.pressUntil(
      'garden testen',
      german.content,
      /garden funktioniert: hat sich ausgewiesen/,
    );
    await german.unfold(german.content, 'Schritt für Schritt');
    await expectText(german.content, 'verschlüsselt und aufgefüllt');
    await german.press('shed testen');
    await expectText(german.content, 'shed funktioniert nicht:');
    await german.press('Geschwindigkeit vergleichen');
    await expectText(german.compared, /shed\s+Keine Antwort: /);
    // Nothing of the service's English is left.
    expect(await german.content.locator('[lang="en"]').allInnerTexts()).toEqual([]);
    await expectFitting(german.page);
    await expectAccessible(german.page);
    await german.press('Hinzufügen …');
    await expectText(german.dialog, 'Quad9-Stiftung, Schweiz');
    expect(await german.dialog.locator('[lang="en"]').count()).toBe(0);
    await expectFitting(german.page);
    await expectAccessible(german.page);
  });
});
