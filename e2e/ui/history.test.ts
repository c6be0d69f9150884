/** The History page over the real service: earlier queries, present queries, and searching among them. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { question } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectGone, expectText } from './expect-page.ts';
import { HistoryPage } from './pages/history-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'the History page', () => {
  const stage = uiStage();

  async function open(service: SottoService, look?: Look): Promise<HistoryPage> {
    const history = new HistoryPage(await stage.open(service, look));
    await history.goTo('History');
    return history;
  }

  async function erase(history: HistoryPage): Promise<void> {
    await history.button('More').click();
    await history.menuItem('Erase the history …').click();
    await history.button('Erase').click();
    // rows wait while the pointer is among them
    await history.page.mouse.move(0, 0);
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
    askUdp(service.v4, question(name, type), 5000);

  it('explains itself when there are no queries, and shows queries as they happen', async () => {
    const service = await stage.startService();
    const history = await open(service);
    // the query by which the test waited for the service counts, too
    await expectText(history.row('localhost').first(), 'local');
    await erase(history);
    await expectText(history.content, 'Nothing has been asked yet.');
    await expectText(history.content, `dig @127.0.0.1 -p ${service.port} example.com`);
    await expectAccessible(history.page);

    await ask(service, 'img3.herald.example');
    await expectText(history.row('img3.herald.example'), 'forwarded');
    await ask(service, 'img3.herald.example');
    await expectText(history.row('img3.herald.example').first(), 'cached');
    await expectAccessible(history.page);
    expect(await history.page.evaluate(seen)).toEqual([true, true]);

    const long = `${'long-label-of-a-name.'.repeat(9)}herald.example`;
    await ask(service, long);
    await expectText(history.row(long).first(), 'forwarded');
    expect(await history.page.evaluate(seen)).toEqual([false, true]);
    await service.stop();
  });

  it('filters by text and by chips, and says what it does not understand', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    await ask(service, 'comments.herald.example');
    const history = await open(service);
    await expectText(history.row('comments.herald.example'), 'forwarded');

    await history.filter.fill('comments outcome:forwarded');
    await expectGone(history.row('img3.herald.example'));
    await expectText(history.row('comments.herald.example'), upstreamName);
    await expectText(history.chips.nth(1), 'outcome:forwarded');
    await expectText(history.content, /^1 of \d$/m);

    await history.chips.first().getByRole('button').click();
    await expectText(history.row('img3.herald.example'), 'forwarded');
    expect(await history.filter.inputValue()).toBe('outcome:forwarded');

    await history.filter.fill('outcome:lost');
    await expectText(history.problem, '"lost" is no outcome');
    await expectAccessible(history.page);
    await service.stop();
  });

  it('can be used with keys alone: filter, rows, detail, and back', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    await ask(service, 'comments.herald.example');
    const history = await open(service);
    await expectText(history.row('img3.herald.example'), 'forwarded');
    const { keyboard } = history.page;
    await history.page.locator('body').press('/');
    await keyboard.type('herald');
    await keyboard.press('Escape');
    await expectGone(history.row('localhost'));
    await history.list.focus();
    await keyboard.press('j');
    await keyboard.press('Enter');
    await expectText(history.detail, 'img3.herald.example');
    await expectText(history.detail, `${upstreamName} over T-DNS`);
    await expectAccessible(history.page);
    await keyboard.press('Escape');
    await expectGone(history.detail);
    await service.stop();
  });

  it('shows what a query cost, sends it again, and sends it to every upstream', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const history = await open(service);
    await history.row('img3.herald.example').click();
    await expectText(history.detail, 'No rule matched.');
    await expectText(history.detail, /The connection was (open|opened)/);
    await expectText(history.detail, /\d+ B sent, \d+ B received/);
    await history.button('Ask again').click();
    await expectText(history.detail, 'NOERROR · 1 record');
    await history.button('Ask every upstream').click();
    await expectText(
      history.detail.getByRole('list', { name: 'Answers side by side' }),
      upstreamName,
    );
    await expectAccessible(history.page);
    await service.stop();
  });

  it('saves matching rows as a file, and erases everything on request', async () => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const history = await open(service);
    await expectText(history.row('img3.herald.example'), 'forwarded');
    const download = history.page.waitForEvent('download');
    await history.button('More').click();
    await history.menuItem('Save as CSV').click();
    const file = await (await download).path();
    expect(await readFile(file, 'utf8')).toMatch(/img3\.herald\.example/);

    await erase(history);
    await expectText(history.page.locator('body'), 'The history is erased.');
    await expectGone(history.row('img3.herald.example'));
    await service.stop();
  });

  it.each([320, 1024, 2560])('fits %i px, in German and in the dark', async (width) => {
    const service = await stage.startService();
    await ask(service, 'img3.herald.example');
    const look = { width, locale: 'de-DE', colorScheme: 'dark' } as const;
    const history = new HistoryPage(await stage.open(service, look));
    await history.goTo('Verlauf');
    await expectText(history.row('img3.herald.example'), 'img3.herald.example');
    await history.row('img3.herald.example').click();
    await expectText(history.detail, 'Keine Regel passte.');
    const overflow = await history.page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBeLessThanOrEqual(0);
    await expectAccessible(history.page);
    await service.stop();
  });
});
