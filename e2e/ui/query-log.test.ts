/** The page Queries over the real service: earlier queries, present queries, and searching among them. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectFocus, expectGone, expectText, focusOn } from './expect-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'the page Queries', () => {
  const stage = uiStage();

  async function open(service: SottoService, look?: Look): Promise<QueryLogPage> {
    const queryLog = new QueryLogPage(await stage.open(service, look));
    await queryLog.goTo('Queries');
    return queryLog;
  }

  async function erase(queryLog: QueryLogPage): Promise<void> {
    await queryLog.button('More').click();
    await queryLog.menuItem('Erase all queries …').click();
    await queryLog.button('Erase').click();
    // rows wait while the pointer is among them
    await queryLog.page.mouse.move(0, 0);
  }

  /** Whether the beginning and the end of a name in the list are visible. */
  const seen = `(() => {
    const text = document.querySelector('[data-kind=name] bdi').firstChild;
    const cell = text.parentElement.parentElement.getBoundingClientRect();
    const isSeen = (at) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { left, right } = range.getBoundingClientRect();
      return left >= cell.left - 1 && right <= cell.right + 1;
    };
    return [isSeen(0), isSeen(text.length - 1)];
  })()`;

  const ask = (service: SottoService, name: string, type: 'A' | 'TXT' = 'A') =>
    askUdp(service.v4, encodeQuery(name, type));

  it('explains itself when there are no queries, and shows queries as they happen', async () => {
    const service = await stage.startService();
    const queryLog = await open(service);
    // the query by which the test waited for the service counts, too
    await expectText(queryLog.row('localhost').first(), 'this computer');
    await erase(queryLog);
    await expectText(queryLog.content, 'Nothing has been asked yet.');
    await expectText(queryLog.content, `dig @127.0.0.1 -p ${service.port} example.com`);
    await expectAccessible(queryLog.page);

    await ask(service, 'img3.herald.example');
    await expectText(queryLog.row('img3.herald.example'), upstreamName);
    await ask(service, 'img3.herald.example');
    await expectText(queryLog.row('img3.herald.example').first(), 'cache');
    await expectAccessible(queryLog.page);
    await expect.poll(() => queryLog.page.evaluate(seen)).toEqual([true, true]);

    const long = `${'long-label-of-a-name.'.repeat(9)}herald.example`;
    await ask(service, long);
    await expectText(queryLog.row(long).first(), upstreamName);
    await expect.poll(() => queryLog.page.evaluate(seen)).toEqual([false, true]);
    await service.stop();
  });

  it('filters by text and by chips, and says what it does not understand', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    await ask(service, 'comments.herald.example');
    const queryLog = await open(service);
    await expectText(queryLog.row('comments.herald.example'), upstreamName);

    await queryLog.filter.fill('comments outcome:forwarded');
    await expectGone(queryLog.row('img3.herald.example'));
    await expectText(queryLog.row('comments.herald.example'), upstreamName);
    await expectText(queryLog.chips.nth(1), 'outcome:forwarded');
    await expectText(queryLog.content, /^1 of \d+$/m);

    await queryLog.chips.first().getByRole('button').click();
    await expectText(queryLog.row('img3.herald.example'), upstreamName);
    await expect.poll(() => queryLog.filter.inputValue()).toBe('outcome:forwarded');

    await queryLog.filter.fill('outcome:lost');
    await expectText(queryLog.problem, '"lost" is no outcome');
    await expectAccessible(queryLog.page);
    await service.stop();
  });

  it('offers what can come next, and takes nothing that nobody chose', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const queryLog = await open(service);
    await expectText(queryLog.row('img3.herald.example'), upstreamName);
    const { keyboard } = queryLog.page;
    await focusOn(queryLog.filter);
    await keyboard.type('out');
    await expectText(queryLog.offered, 'outcome:');
    await keyboard.press('Enter');
    await expect.poll(() => queryLog.filter.inputValue()).toBe('out');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await keyboard.type('fo');
    await expectText(queryLog.offered, 'forwarded');
    await expectAccessible(queryLog.page);
    await keyboard.press('ArrowDown');
    await keyboard.press('Tab');
    await expectGone(queryLog.row('localhost'));
    await keyboard.type(` upstream:${upstreamName[0]}`);
    await queryLog.offered.filter({ hasText: upstreamName }).click();
    await expect
      .poll(() => queryLog.filter.inputValue())
      .toBe(`outcome:forwarded upstream:${upstreamName}`);
    await expectText(queryLog.row('img3.herald.example'), upstreamName);
    await keyboard.type(' type:');
    await expectText(queryLog.offered.first(), 'A');
    await keyboard.press('Escape');
    await expectGone(queryLog.offered);
    await service.stop();
  });

  it('shows only rows like a cell that is clicked, and counts what waits while somebody reads', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const queryLog = await open(service);
    await queryLog.row('img3.herald.example').getByRole('button', { name: upstreamName }).click();
    await expectGone(queryLog.row('localhost'));
    await expect.poll(() => queryLog.filter.inputValue()).toBe(`upstream:${upstreamName}`);
    await expectText(queryLog.page.getByRole('button', { name: /^All/ }), 'All 1');
    await queryLog.filter.fill('');
    // the rig asked for a name of this computer, more than once where the machine is slow
    await expectText(queryLog.page.getByRole('button', { name: /^All/ }), /^All ([2-9]|\d\d+)$/);
    await queryLog.page.getByRole('button', { name: 'Encrypted 1' }).click();
    await expectGone(queryLog.row('localhost'));
    await queryLog.row('img3.herald.example').click();
    await ask(service, 'comments.herald.example');
    await expectText(queryLog.live, 'Held · 1 new');
    await expectGone(queryLog.row('comments.herald.example'));
    await queryLog.live.click();
    await expectText(queryLog.row('comments.herald.example'), upstreamName);
    await expectText(queryLog.live, 'Live');
    await expectGone(queryLog.detail);
    await service.stop();
  });

  it('can be used with keys alone: filter, rows, detail, and back', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    await ask(service, 'comments.herald.example');
    const queryLog = await open(service);
    await expectText(queryLog.row('img3.herald.example'), upstreamName);
    const { keyboard } = queryLog.page;
    await queryLog.page.locator('body').press('/');
    await expectFocus(queryLog.filter);
    await keyboard.type('herald');
    await keyboard.press('Escape');
    await expectGone(queryLog.row('localhost'));
    await focusOn(queryLog.list);
    await keyboard.press('j');
    await keyboard.press('Enter');
    await expectText(queryLog.detail, 'img3.herald.example');
    await expectText(queryLog.detail, `${upstreamName} over T-DNS`);
    await expectAccessible(queryLog.page);
    await keyboard.press('Escape');
    await expectGone(queryLog.detail);
    await queryLog.page.locator('[role=grid]:focus').waitFor();
    await service.stop();
  });

  it('shows what a query cost, sends it again, and sends it to every upstream', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const queryLog = await open(service);
    await queryLog.row('img3.herald.example').click();
    await expectText(queryLog.detail, 'No rule matched.');
    await expectText(queryLog.detail, /The connection was (open|opened)/);
    await expectText(queryLog.detail, /\d+ B sent, \d+ B received/);
    await queryLog.button('Ask again').click();
    await expectText(queryLog.detail, 'NOERROR · 1 record');
    await queryLog.button('Ask every provider').click();
    await expectText(
      queryLog.detail.getByRole('list', { name: 'Answers side by side' }),
      upstreamName,
    );
    await expectAccessible(queryLog.page);
    await service.stop();
  });

  it('saves matching rows as a file, and erases everything on request', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const queryLog = await open(service);
    await expectText(queryLog.row('img3.herald.example'), upstreamName);
    const download = queryLog.page.waitForEvent('download');
    await queryLog.button('More').click();
    await queryLog.menuItem('Save as CSV').click();
    const file = await (await download).path();
    expect(await readFile(file, 'utf8')).toMatch(/img3\.herald\.example/);

    await erase(queryLog);
    await expectText(queryLog.page.locator('body'), 'All queries are erased.');
    await expectGone(queryLog.row('img3.herald.example'));
    await service.stop();
  });

  it.each([320, 1024, 2560])('fits %i px, in German and in the dark', async (width) => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const look = { width, locale: 'de-DE', colorScheme: 'dark' } as const;
    const queryLog = new QueryLogPage(await stage.open(service, look));
    await queryLog.goTo('Anfragen');
    await expectText(queryLog.row('img3.herald.example'), 'img3.herald.example');
    await queryLog.row('img3.herald.example').click();
    await expectText(queryLog.detail, 'Keine Regel passte.');
    await expectFitting(queryLog.page);
    await expectAccessible(queryLog.page);
    await service.stop();
  });
});
