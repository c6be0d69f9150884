/** A new person without a pointer: the first run, a consent request, and the filter of the query log, one after the other. */
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { freePort } from '../rig/ports.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFocus, expectText } from './expect-page.ts';
import { FirstRunPage } from './pages/first-run-page.ts';
import { HomePage } from './pages/home-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server', 'dig'], 'the keyboard alone', () => {
  const stage = uiStage();

  it('is enough for the first run, a consent request and the filter', async () => {
    const dead = '127.0.0.1:9';
    const service = await stage.startService({
      upstreams: undefined,
      rungs: ['network'],
      systemResolvers: [dead],
    });
    const page = await stage.open(service);
    const run = new FirstRunPage(page);
    const { keyboard } = page;

    await expectText(run.question, 'Who answers your queries?');
    await page.evaluate(
      'addEventListener("pointerdown", () => { window.pointed = true; }, { capture: true })',
    );
    await run.tabTo('Next');
    await keyboard.press('Enter');
    await expectText(run.question, 'What if no encrypted connection works?');
    await expectFocus(run.question);
    await keyboard.press('Tab');
    await keyboard.press('ArrowDown');
    await expect.poll(() => run.choice('Ask').isChecked()).toBe(true);
    await keyboard.press('Enter');
    await expectText(run.question, 'Protect this computer');
    await run.tabTo('Not now');
    await keyboard.press('Enter');
    const status = new HomePage(page);
    await expectText(status.upstreams, 'Quad9');

    // Later, on another network, no private path works.
    const address = `127.0.0.1:${await freePort()}`;
    const nowhere = [{ id: 'nowhere', transport: 'dot', address, name: 'nowhere.example' }];
    const set = await service.cli('config', 'set', 'upstreams', JSON.stringify(nowhere));
    expect(set.stderr).toBe('');
    await expectText(status.decision, /Without an answer/);
    await expectAccessible(page);
    await status.tabTo('Allow 10 minutes');
    await keyboard.press('Enter');
    await expectText(page.locator('[role=menuitem]:focus'), 'Allow 10 minutes');
    await keyboard.press('ArrowDown');
    await expectText(page.locator('[role=menuitem]:focus'), 'Allow 30 minutes');
    await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    await expectText(status.openEntries, 'Not reachable encrypted');

    await dig(service.v4, 'lost.herald.example');
    await keyboard.press('2');
    const queryLog = new QueryLogPage(page);
    await expectText(queryLog.rows.first(), 'lost.herald.example');
    await keyboard.press('/');
    await page.locator('#query-log-filter:focus').waitFor();
    await keyboard.type('lost outcome:failed');
    await expectText(queryLog.chips, 'outcome:failed');
    await expectText(queryLog.rows, 'lost.herald.example');
    await expectAccessible(page);
    await tabToGrid(queryLog);
    await keyboard.press('Enter');
    await expectText(queryLog.detail, 'lost.herald.example');
    await keyboard.press('Escape');
    await expect.poll(() => queryLog.detail.count()).toBe(0);

    expect(await page.evaluate('window.pointed === true'), 'no pointer was used').toBe(false);
    await service.stop();
  });
});

async function tabToGrid({ page }: QueryLogPage): Promise<void> {
  for (let steps = 0; steps < 30; steps += 1) {
    await page.keyboard.press('Tab');
    if ((await page.locator(':focus').getAttribute('role')) === 'grid') return;
  }
  throw new Error('Tab does not lead to the rows');
}
