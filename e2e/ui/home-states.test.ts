/** Every state into which the real service can be driven, as Home shows it. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { freePort } from '../rig/ports.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectGone, expectText } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { uiStage } from './stage.ts';
import { statusOf, verdictsShown } from './verdicts-shown.ts';

describeWith(['sotto', 'sotto-server'], 'the verdicts on Home', () => {
  const stage = uiStage();

  it('are shown as headline, mark and sentence, and follow the service', async () => {
    const home = await mkdtemp(join(stage.lab.directory, 't-'));
    const service = await ToldService.start(stage.lab, home, {});
    const status = new HomePage(await stage.open(service));
    for (const [headline, sentence, changes] of verdictsShown) {
      service.tell(statusOf(changes));
      await expectText(status.state, headline);
      await expectText(status.sentence, sentence);
      const { verdict } = statusOf(changes);
      const { is } = verdict;
      const isElsewhere = is === 'not-in-use' || ('by' in verdict && verdict.by === 'contest');
      for (const mark of await status.page.locator('[data-mark]').all())
        await expect.poll(() => mark.getAttribute('data-mark')).toBe(is);
      const take = status.content.getByRole('button', { name: 'Protect this computer' });
      await expect.poll(() => take.count()).toBe(isElsewhere ? 1 : 0);
      await expectAccessible(status.page);
    }
  });
});

describeWith(['sotto', 'sotto-server'], 'the states of Home', () => {
  const stage = uiStage();

  async function unreachable(settings: Record<string, unknown>) {
    const address = `127.0.0.1:${await freePort()}`;
    return await stage.startService({
      upstreams: [{ id: 'nowhere', transport: 'dot', address, name: 'nowhere.example' }],
      ...settings,
    });
  }

  it('is turned off by the menu, and on again by the switch', async () => {
    const service = await stage.startService({ systemResolvers: ['127.0.0.1:9'] });
    const status = new HomePage(await stage.open(service));
    await expectText(status.state, 'Not in use yet');
    await status.choose('Pause', 'Turn protection off');
    await expectText(status.state, 'Off – unencrypted');
    await expectText(status.sentence, 'This computer asks its network, unencrypted.');
    await expectText(status.openEntries, 'Off');
    await expectAccessible(status.page);
    await status.protection.click();
    await expectText(status.state, 'Not in use yet');
    await expectGone(status.openEntries);
    await service.stop();
  });

  it('pauses by the menu with a countdown, and resumes with P', async () => {
    const service = await stage.startService({ systemResolvers: ['127.0.0.1:9'] });
    const status = new HomePage(await stage.open(service));
    await expectText(status.state, 'Not in use yet');
    await status.choose('Pause', 'for 15 minutes');
    await expectText(status.state, /Paused until .*\d\d:\d\d – unencrypted/);
    await expectText(status.sentence, 'This computer asks its network, unencrypted.');
    await expectText(status.content, /1[45]:\d\d left/);
    await expectAccessible(status.page);
    await expect.poll(async () => (await service.status()).protection.state).toBe('paused');
    await expect.poll(() => status.protection.isChecked()).toBe(false);
    await status.page.keyboard.press('p');
    await expectText(status.state, 'Not in use yet');
    await service.stop();
  });

  it('asks where no private path works, lets queries leave when allowed, and stops', async () => {
    const service = await unreachable({
      downgrade: 'warn',
      rungs: ['network'],
      systemResolvers: ['127.0.0.1:9'],
    });
    const status = new HomePage(await stage.open(service));
    await expectText(status.sentence, 'This computer asks somebody else, not Sotto.');
    await expectText(status.decision, /Without an answer it stays encrypted: \d:\d\d left/);
    await expectAccessible(status.page);

    await status.choose('Allow 10 minutes', 'Allow 10 minutes');
    await expectText(status.sentence, /What reaches Sotto leaves unencrypted, too, since/);
    await expectText(status.openEntries, 'Not reachable encrypted');
    await expectAccessible(status.page);

    await status.press('Stop');
    await expectGone(status.openEntries);
    await service.stop();
  });

  it('stays private if the person says so, and tries again on request', async () => {
    const service = await unreachable({
      downgrade: 'warn',
      rungs: ['network'],
      systemResolvers: ['127.0.0.1:9'],
    });
    const status = new HomePage(await stage.open(service));
    await status.press('Stay protected');
    await status.decision
      .getByRole('button', { name: 'Stay protected' })
      .waitFor({ state: 'detached' });
    await status.press('Retry');
    await expectText(status.page.locator('body'), 'No provider can be reached encrypted yet.');
    // The attempt fails, and there is a new consent request, so that the page does not stay at "starting".
    await status.decision.getByRole('button', { name: 'Stay protected' }).waitFor();
    await service.stop();
  });

  it('takes the answer with the keyboard alone', async () => {
    const service = await unreachable({
      downgrade: 'warn',
      rungs: ['network'],
      systemResolvers: ['127.0.0.1:9'],
    });
    const status = new HomePage(await stage.open(service));
    await expectText(status.decision, /Without an answer/);
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
    await expectText(status.openEntries, 'Not reachable encrypted');
    const minutesLeft = async () => {
      const { protection } = await service.status();
      const until = protection.state === 'exposed' ? (protection.until ?? 0) : 0;
      return (until - Date.now()) / 60_000;
    };
    await expect.poll(minutesLeft).toBeGreaterThan(25);
    await service.stop();
  });

  it('refuses where no private path works', async () => {
    const service = await unreachable({ downgrade: 'refuse' });
    const status = new HomePage(await stage.open(service));
    await expectText(status.sentence, 'This computer asks somebody else, not Sotto.');
    await expect.poll(async () => (await service.status()).protection.state).toBe('refusing');
    await expectText(status.upstreams, 'nowhere');
    await expectAccessible(status.page);
    await service.stop();
  });

  it('claims nothing before it has a status', async () => {
    const service = await stage.startService();
    const first = new HomePage(await stage.open(service));
    await expectText(first.state, 'Not in use yet');
    await service.stop();
    await first.page.reload();
    await expectText(first.state, 'Not responding');
    await expectText(first.connection, 'Sotto is not running');
    await expectAccessible(first.page);
  });

  it('fits into 320 px', async () => {
    const service = await stage.startService();
    const status = new HomePage(await stage.open(service, { width: 320 }));
    await expectText(status.state, 'Not in use yet');
    await expectFitting(status.page);
    await expectAccessible(status.page);
    await service.stop();
  });
});
