/** All exceptions over the real service. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { freePort } from '../rig/ports.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectGone, expectHash, expectText } from './expect-page.ts';
import { LedgerPage } from './pages/ledger-page.ts';
import { type Look, uiStage } from './stage.ts';

const hostileReason = '=cmd() <img src=x>\u202e\u001b[31m';

describeWith(['sotto', 'sotto-server', 'dig'], 'the page of all exceptions', () => {
  const stage = uiStage();

  async function open(service: SottoService, look?: Look): Promise<LedgerPage> {
    const ledger = new LedgerPage(await stage.open(service, look));
    await ledger.page.evaluate('location.hash = "/ledger"');
    return ledger;
  }

  /** A resolver on loopback that responds to every query that there is no such record. */
  async function plainResolver(): Promise<{ address: string; stop(): void }> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    socket.on('message', (query, { port, address }) => {
      let end = 12;
      while (query.readUInt8(end) !== 0) end += query.readUInt8(end) + 1;
      // only the question section, without a record
      const reply = Buffer.concat([
        query.subarray(0, 6),
        Buffer.alloc(6),
        query.subarray(12, end + 5),
      ]);
      reply.writeUInt16BE(0x8183, 2);
      socket.send(reply, port, address);
    });
    return { address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
  }

  const withoutPath = async () => ({
    upstreams: [
      {
        id: 'nowhere',
        transport: 'dot',
        address: `127.0.0.1:${await freePort()}`,
        name: 'nowhere.example',
      },
    ],
    downgrade: 'fallback',
    rungs: ['network'],
    systemResolvers: ['127.0.0.1:9'],
  });

  it('says that nothing ever left in cleartext', async () => {
    const service = await stage.startService();
    const ledger = await open(service);
    await expectText(ledger.content, 'Nothing ever left unencrypted.');
    await expectAccessible(ledger.page);
    await service.stop();
  });

  it('counts the queries of a rule, and ends the entry by removing the rule', async () => {
    const resolver = await plainResolver();
    const service = await stage.startService({
      bypass: [{ suffix: 'corp.example', to: [resolver.address] }],
    });
    const ledger = await open(service);
    await expectText(ledger.open, 'corp.example');
    await expectText(ledger.open, 'your settings');
    // In addition, the service checks whether the resolver leads back to it, and asks again where a response is late.
    for (let host = 0; host < 20; host += 1) {
      const { status } = await dig(service.v4, `host${host}.corp.example`);
      expect(status).toBe('NXDOMAIN');
    }
    await expectText(ledger.open, /([2-9]\d|\d{3}) unencrypted queries/);
    await expectAccessible(ledger.page);

    await ledger.open.getByRole('link', { name: /show them in Queries/ }).click();
    await expectText(ledger.content.getByRole('row'), 'host7.corp.example');
    await expect.poll(() => decodeURIComponent(ledger.page.url())).toContain('clear:bypass');
    await ledger.page.goBack();

    await ledger.button('Stop: remove the exception for corp.example').click();
    await expectText(ledger.ended, 'corp.example');
    await expectText(ledger.content, 'Nothing may leave unencrypted now.');
    await expect.poll(async () => (await service.status()).clear).toEqual([]);
    await expectAccessible(ledger.page);
    resolver.stop();
    await service.stop();
  });

  it('shows how long a fallback still lasts, and stops it with the keyboard', async () => {
    const service = await stage.startService(await withoutPath());
    const ledger = await open(service);
    await expectText(ledger.open, 'Not reachable encrypted');
    await expectText(ledger.open, /\d:\d\d left/);
    await expectText(ledger.open, 'rungs allowed: network');
    await expectAccessible(ledger.page);
    await ledger.tabTo('Stop');
    await ledger.page.keyboard.press('Enter');
    await expectText(ledger.ended, 'Not reachable encrypted');
    await expectGone(ledger.open);
    await expect.poll(async () => (await service.status()).protection.state).toBe('refusing');
    await service.stop();
  });

  it('shows one kind only, and ends the entry of switching off', async () => {
    const service = await stage.startService({
      bypass: [{ suffix: 'corp.example', to: ['192.0.2.53'] }],
      systemResolvers: ['127.0.0.1:9'],
    });
    await service.json('off');
    const ledger = await open(service);
    await expectText(ledger.open, 'Sotto was switched off');
    await expectText(ledger.open, 'corp.example');
    await ledger.kind.selectOption('off');
    await expectGone(ledger.open.filter({ hasText: 'corp.example' }));
    await expectHash(ledger.page, '#/ledger?class=off');
    await ledger.button('Stop: turn protection on').click();
    await expectText(ledger.ended, 'Sotto was switched off');
    await expect.poll(async () => (await service.status()).protection.state).not.toBe('off');
    await ledger.kind.selectOption('portal');
    await expectText(ledger.content, 'No permission of this kind was ever given.');
    await service.stop();
  });

  it('shows and saves hostile reasons as text', async () => {
    const service = await stage.startService();
    await service.stop();
    const now = Date.now();
    const down = { since: now - 60_000, until: now, reason: hostileReason, count: null };
    await writeFile(join(service.home, 'service-down.journal'), `${JSON.stringify(down)}\n`);
    await service.restart();
    const ledger = await open(service);
    await expectText(ledger.ended, 'Service was down');
    await expectText(ledger.ended, '=cmd() <img src=x>\\u202e\\x1b[31m');
    await expectText(ledger.ended, 'Nobody could count');
    expect(await ledger.content.locator('img').count()).toBe(0);
    await expectAccessible(ledger.page);

    const download = ledger.page.waitForEvent('download');
    await ledger.button('Save as CSV').click();
    const csv = await readFile(await (await download).path(), 'utf8');
    expect(csv).toContain(`"'=cmd() <img src=x>\\u202e\\x1b[31m"`);
    await service.stop();
  });

  it('fits into 320 px, in German and in the dark', async () => {
    const service = await stage.startService({
      ...(await withoutPath()),
      bypass: [{ suffix: `${'very-long-label-of-a-zone.'.repeat(6)}example`, to: ['192.0.2.53'] }],
    });
    const ledger = await open(service, { width: 320, locale: 'de-DE', colorScheme: 'dark' });
    await expectText(ledger.open, 'Nicht verschlüsselt erreichbar');
    await expectText(ledger.open, 'very-long-label');
    await expectFitting(ledger.page);
    await expectAccessible(ledger.page);
    await service.stop();
  });
});
