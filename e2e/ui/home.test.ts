/** Home over the real service. */
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { expectAccessible } from './accessibility.ts';
import { expectHash, expectText } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'Home', () => {
  const stage = uiStage();

  it('says that Sotto works and is not in use before DNS is taken, also in German', async () => {
    const service = await stage.startService();
    const status = new HomePage(await stage.open(service));
    await expectText(status.state, 'Not in use yet');
    await expectText(status.sentence, 'Sotto works, but this computer asks somebody else.');
    await expectAccessible(status.page);

    await status.command('Deutsch');
    await expectText(status.state, 'Noch nicht aktiv');
    await expectText(
      status.sentence,
      'Sotto ist bereit, aber dieser Computer fragt jemand anderen.',
    );
    expect(await status.page.title()).toBe('Start – Sotto');
    await expectAccessible(status.page);
    await service.stop();
  });

  it('shows that a service died, with its last state and its age, and is live again by itself', async () => {
    const service = await stage.startService();
    const status = new HomePage(await stage.open(service));
    await expectText(status.state, 'Not in use yet');

    await service.kill();
    await expectText(status.connection, 'The connection to Sotto has ended.');
    await expectText(status.connection, /What you see is \d+ (seconds?|minutes?) old/);
    await expectText(status.connection, /Next try in \d:\d\d/);
    await expectText(status.state, /^Not responding$/);
    await expectText(
      status.sentence,
      /Sotto has not answered since .*\d\d:\d\d. This computer asks its network, unencrypted/,
    );
    await expectText(status.content, 'Last known: Not in use yet');
    await expectText(status.content.locator('code'), 'sotto run');
    await expectAccessible(status.page);

    await service.restart();
    await expectText(status.connection, /^$/);
    await expectText(status.state, 'Not in use yet');
    await service.stop();
  });

  it('lets nobody in by an address that was used before', async () => {
    const service = await stage.startService();
    const first = new HomePage(await stage.open(service));
    await expectText(first.state, 'Not in use yet');
    await expectHash(first.page, '');

    const stranger = await (await stage.newContext()).newPage();
    await stranger.goto(new URL(first.page.url()).origin);
    await expectText(new HomePage(stranger).connection, 'This page has no permission');

    await first.page.reload();
    await expectText(first.state, 'Not in use yet');
    await service.stop();
  });
});
