/** The Upstreams page over the real service: order, adding and removing, and the report of a test. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { freePort } from '../rig/ports.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectGone, expectText } from './expect-page.ts';
import { UpstreamsPage } from './pages/upstreams-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

/** Protocol number, properties, then fields. */
const stamp = (protocol: number, ...fields: (string | number)[]) => {
  const octets = fields.flatMap((field) =>
    typeof field === 'number' ? [field] : [field.length, ...Buffer.from(field, 'latin1')],
  );
  return `sdns://${Buffer.from([protocol, ...Array(8).fill(0), ...octets]).toString('base64url')}`;
};

describeWith(['sotto', 'sotto-server'], 'the Upstreams page', () => {
  const stage = uiStage();

  /** "garden", which responds, before two that do not. */
  async function withThree(): Promise<SottoService> {
    const service = await stage.startService();
    const [first] = (await setting(service, 'upstreams')) as object[];
    const dead = async (id: string) => ({
      id,
      transport: 'dot',
      address: `127.0.0.1:${await freePort()}`,
      name: `${id}.example`,
    });
    await service.apply({ upstreams: [first, await dead('shed'), await dead('pond')] });
    return service;
  }

  async function setting(service: SottoService, key: string): Promise<unknown> {
    const shown = await service.json<{ settings: { key: string; value: unknown }[] }>(
      'config',
      'show',
    );
    return shown.settings.find((one) => one.key === key)?.value;
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
    const service = await stage.startService();
    const upstreams = await open(service);
    const garden = upstreams.upstream(upstreamName);
    await expectText(garden, /T-DNS · TLS 1\.3 · name checked/);
    await expectText(garden, 'must prove to be resolver.demo.example');
    await expectText(garden, /[1-9]\d* connections? opened/);
    await expectText(garden, /\d+ over an open connection .* sent, .* received/);
    await expectText(upstreams.resolvers, 'Quad9 Foundation, Switzerland');
    await expectText(
      upstreams.resolvers,
      /Its operator ended it\s*2 Nov 2026, https:\/\/mullvad\.net/,
    );
    await expectAccessible(upstreams.page);
    await service.stop();
  });

  it('changes the order with the arrow keys, keeps the focus, and undoes the change', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await expectText(upstreams.names, 'garden\nshed\npond');
    const { keyboard } = upstreams.page;
    await upstreams.grip('garden').focus();
    await keyboard.press('ArrowDown');
    await expectText(upstreams.names, 'shed\ngarden\npond');
    await expectText(upstreams.said, 'garden is now 2 of 3.');
    await keyboard.press('ArrowDown');
    await expectText(upstreams.names, 'shed\npond\ngarden');
    expect(await order(service)).toEqual(['shed', 'pond', 'garden']);
    await keyboard.press('ArrowUp');
    await expectText(upstreams.names, 'shed\ngarden\npond');
    await expectAccessible(upstreams.page);
    await upstreams.press('Undo');
    await expectText(upstreams.names, 'shed\npond\ngarden');
    await expectText(upstreams.said, 'The change was undone.');
    await service.stop();
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
    expect(await order(service)).toEqual(['shed', 'garden', 'pond']);
    await service.stop();
  });

  it('removes one and brings it back, but does not undo another client’s change', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await upstreams.choose('shed', 'Remove');
    await expectText(upstreams.said, 'shed was removed.');
    await expectGone(upstreams.upstream('shed'));
    expect(await order(service)).toEqual(['garden', 'pond']);
    await upstreams.press('Undo');
    await expectText(upstreams.names, 'garden\nshed\npond');

    await upstreams.choose('pond', 'Remove');
    await expectText(upstreams.said, 'pond was removed.');
    await service.json('config', 'set', 'cache.entries', '5000');
    await upstreams.press('Undo');
    await expectText(upstreams.said, 'so nothing was undone');
    expect(await order(service)).toEqual(['garden', 'shed']);
    await service.stop();
  });

  it('adds one by its address, and says what is wrong with an address where it was typed', async () => {
    const service = await stage.startService();
    const upstreams = await open(service);
    await upstreams.press('Add by address …');
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
    await expectText(upstreams.upstream('mine'), 'at 192.0.2.1, 192.0.2.2');
    await service.stop();
  });

  it('adds one by its stamp, and refuses a stamp of an unsupported transport by name', async () => {
    const service = await stage.startService();
    const upstreams = await open(service);
    await upstreams.press('Add by DNS stamp …');
    const field = upstreams.dialog.getByLabel('DNS stamp');
    await field.fill(stamp(2, '192.0.2.1', '', 'dns.example', '/dns-query'));
    await upstreams.confirm('Add');
    await expectText(upstreams.dialog.getByRole('alert'), 'the stamp is for DNS over HTTPS');
    await expectAccessible(upstreams.page);
    await field.fill(stamp(3, '192.0.2.1', 0, 'ns.example'));
    await upstreams.page.keyboard.press('Enter');
    await expectText(upstreams.names, 'garden\nns.example');
    await expectText(upstreams.upstream('ns.example'), 'must prove to be ns.example');
    await service.stop();
  });

  it('adds one of the catalogue, and shows there that it is in use', async () => {
    const service = await stage.startService();
    const upstreams = await open(service);
    await upstreams.press('Add Cloudflare');
    await expectText(upstreams.names, 'garden\ncloudflare');
    await expectText(upstreams.resolvers, 'in use as cloudflare');
    await service.stop();
  });

  it('measures the catalogue, and stops, on request', async () => {
    const service = await stage.startService();
    const upstreams = await open(service);
    await upstreams.press('Measure from here');
    await expectText(upstreams.content, /\d of \d+ measured/);
    await upstreams.press('Cancel');
    await expectText(upstreams.content, /Measure (from here|again)/);
    await expectGone(upstreams.content.getByText('being measured …'));
    await service.stop();
  });

  it('shows the report of a test: steps, protocol, certificates, and why it failed', async () => {
    const service = await withThree();
    const upstreams = await open(service);
    await upstreams.press('Test garden');
    const report = upstreams.report('garden');
    await expectText(report, 'It works.');
    await expectText(report, /STARTTLS[\s\S]*query[\s\S]*answer/);
    await expectText(report, 'TLS 1.3');
    await expectText(report, /Cipher\s+\S+/);
    await expectText(report, 'the certificate is for resolver.demo.example');
    await expectText(report, /Pin\s+[A-Za-z0-9+/]{43}=/);
    await expectText(report, 'How it behaves on a second connection');
    await expectAccessible(upstreams.page);

    await upstreams.press('Test shed');
    await expectText(upstreams.report('shed'), 'It does not work.');
    await expectAccessible(upstreams.page);
    await upstreams.report('garden').getByRole('button', { name: 'Close' }).click();
    await expectGone(report);
    await service.stop();
  });

  it('lets an upstream forget us, after it has explained what that does', async () => {
    const service = await stage.startService();
    const upstreams = await open(service);
    await upstreams.choose(upstreamName, 'Let it forget us …');
    await expectText(upstreams.dialog, 'nobody can link what comes with what was');
    await expectAccessible(upstreams.page);
    await upstreams.confirm('Forget');
    await expectText(upstreams.toasts, /tickets? dropped; the next connection is a stranger’s/);
    await service.stop();
  });

  it('says who locked the list, and then allows no change', async () => {
    const service = await withThree();
    await mkdir(join(service.home, 'policy.d'));
    const value = await setting(service, 'upstreams');
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
    expect(await upstreams.content.getByRole('button', { name: /^Move / }).count()).toBe(0);
    for (const name of ['Add by address …', 'Add by DNS stamp …', 'Add Cloudflare'])
      expect(
        await upstreams.content.getByRole('button', { name, exact: true }).isDisabled(),
        name,
      ).toBe(true);
    await expectAccessible(upstreams.page);
    await service.stop();
  });

  it('fits into 320 px, and into German in the dark, with a report open', async () => {
    const service = await withThree();
    const narrow = await open(service, { width: 320 });
    await narrow.press('Test garden');
    await expectText(narrow.report('garden'), 'It works.');
    expect(await narrow.page.evaluate(wide)).toBe(false);
    await expectAccessible(narrow.page);

    const german = await open(service, { width: 320, locale: 'de-DE', colorScheme: 'dark' });
    await german.press('garden testen');
    await expectText(german.content, 'Er funktioniert.');
    expect(await german.page.evaluate(wide)).toBe(false);
    await expectAccessible(german.page);
    await service.stop();
  });
});
