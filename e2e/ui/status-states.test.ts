/** Every state the real service can be driven into, as the Status page shows it. */
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { describeWith } from '../system/available.ts';
import { freePort } from '../system/ports.ts';
import { expectAccessible } from './accessibility.ts';
import { expectGone, expectText } from './expect-page.ts';
import { StatusPage } from './pages/status-page.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'the states of the Status page', () => {
  const stage = uiStage();

  async function unreachable(settings: Record<string, unknown>) {
    const address = `127.0.0.1:${await freePort()}`;
    return await stage.startService({
      upstreams: [{ id: 'nowhere', transport: 'dot', address, name: 'nowhere.example' }],
      ...settings,
    });
  }

  it('off and on again by the switch', async () => {
    const service = await stage.startService({ systemResolvers: ['127.0.0.1:9'] });
    const status = new StatusPage(await stage.open(service));
    await expectText(status.state, 'Private');
    await status.protection.click();
    await expectText(status.state, 'Off');
    await expectText(status.sentence, 'The system asks its own resolvers, in clear.');
    await expectText(status.openEntries, 'Off');
    await expectAccessible(status.page);
    await status.protection.click();
    await expectText(status.state, 'Private');
    await expectGone(status.openEntries);
    await service.stop();
  });

  it('paused by the menu with a countdown, resumed with P', async () => {
    const service = await stage.startService({ systemResolvers: ['127.0.0.1:9'] });
    const status = new StatusPage(await stage.open(service));
    await expectText(status.state, 'Private');
    await status.choose('Pause', 'for 15 minutes');
    await expectText(status.state, 'Paused');
    await expectText(status.sentence, /Paused until \d\d:\d\d\./);
    await expectText(status.content, /1[45]:\d\d left/);
    await expectAccessible(status.page);
    expect((await service.status()).protection.state).toBe('paused');
    await status.page.keyboard.press('p');
    await expectText(status.state, 'Private');
    await service.stop();
  });

  it('asks where no private path works, lets questions out when allowed, and stops', async () => {
    const service = await unreachable({
      downgrade: 'warn',
      rungs: ['network'],
      systemResolvers: ['127.0.0.1:9'],
    });
    const status = new StatusPage(await stage.open(service));
    await expectText(status.state, 'Waiting for you');
    await expectText(status.sentence, 'nowhere can’t be reached privately here.');
    await expectText(status.decision, /Without an answer it stays private: \d:\d\d left/);
    await expectAccessible(status.page);

    await status.choose('Allow 10 minutes', 'Allow 10 minutes');
    await expectText(status.state, 'In clear');
    await expectText(status.sentence, /Questions leave in clear on this network since .* left\./);
    await expectText(status.openEntries, 'No private path');
    await expectAccessible(status.page);

    await status.press('Stop, and stay private on this network');
    await expectText(status.state, 'Refusing');
    await expectGone(status.openEntries);
    await service.stop();
  });

  it('stays private when told so, and tries again when asked to', async () => {
    const service = await unreachable({
      downgrade: 'warn',
      rungs: ['network'],
      systemResolvers: ['127.0.0.1:9'],
    });
    const status = new StatusPage(await stage.open(service));
    await status.press('Stay private');
    await expectText(status.state, 'Refusing');
    await status.press('Retry');
    // The attempt is in vain, and the question is put again: nobody is left with "starting".
    await expectText(status.state, 'Waiting for you');
    await expectText(status.page.locator('body'), 'No private path works yet.');
    await service.stop();
  });

  it('can be answered with the keyboard alone', async () => {
    const service = await unreachable({
      downgrade: 'warn',
      rungs: ['network'],
      systemResolvers: ['127.0.0.1:9'],
    });
    const status = new StatusPage(await stage.open(service));
    await expectText(status.state, 'Waiting for you');
    const { keyboard } = status.page;
    await status.tabTo('Skip to the page');
    await keyboard.press('Enter');
    await status.tabTo('Allow 10 minutes');
    await keyboard.press('Enter');
    const focused = status.page.locator('[role="menuitem"]:focus');
    await expectText(focused, 'Allow 10 minutes');
    await keyboard.press('ArrowDown');
    await expectText(focused, 'Allow 30 minutes');
    await keyboard.press('Enter');
    await expectText(status.state, 'In clear');
    const { protection } = await service.status();
    const until = protection.state === 'exposed' ? (protection.until ?? 0) : 0;
    expect((until - Date.now()) / 60_000).toBeGreaterThan(25);
    await service.stop();
  });

  it('refuses where nothing private can be reached', async () => {
    const service = await unreachable({ downgrade: 'refuse' });
    const status = new StatusPage(await stage.open(service));
    await expectText(status.state, 'Refusing');
    await expectText(status.sentence, 'No private path: questions are refused.');
    await expectText(status.upstreams, 'nowhere');
    await expectAccessible(status.page);
    await service.stop();
  });

  it('starts while an upstream takes its time', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const service = await stage.startService({
      upstreams: [
        { id: 'slow', transport: 'dot', address: `127.0.0.1:${port}`, name: 'slow.example' },
      ],
    });
    const status = new StatusPage(await stage.open(service));
    await expectText(status.state, 'Starting');
    await expectText(status.sentence, 'Connecting to slow …');
    await expectAccessible(status.page);
    await service.stop();
    silent.close();
  });

  it('claims nothing before it knows anything', async () => {
    const service = await stage.startService();
    const first = new StatusPage(await stage.open(service));
    await expectText(first.state, 'Private');
    await service.stop();
    await first.page.reload();
    await expectText(first.state, 'Unknown');
    await expectText(first.connection, 'Sotto is not running');
    await expectAccessible(first.page);
  });

  it('fits into 320 px', async () => {
    const service = await stage.startService();
    const status = new StatusPage(await stage.open(service, { width: 320 }));
    await expectText(status.state, 'Private');
    const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await status.page.evaluate(wide)).toBe(false);
    await expectAccessible(status.page);
    await service.stop();
  });
});
