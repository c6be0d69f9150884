/**
 * The chart above the rows agrees with them, grows with them, and filters by the stretch that somebody chooses with the pointer or
 * the keys. Rankings of the same rows lead back to the list.
 */
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectText } from './expect-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'the chart of queries', () => {
  const stage = uiStage();

  const ask = async (service: SottoService, names: string[]) => {
    for (const name of names) await askUdp(service.v4, encodeQuery(name, 'A'));
  };

  async function inTheLog(service: SottoService) {
    const events = await service.log({ limit: 1000 });
    const wrong = events.filter(({ outcome }) => /refused|failed|dropped/.test(outcome));
    return { all: events.length, wrong: wrong.length };
  }

  /** Once so many queries are in the log, which takes a moment. */
  async function agrees(queryLog: QueryLogPage, service: SottoService, least: number) {
    await eventually(`the chart says what the log says of ${least} queries`, async () => {
      const [shown, logged] = [await queryLog.counted(), await inTheLog(service)];
      return logged.all >= least && shown?.all === logged.all && shown.wrong === logged.wrong;
    });
    return await inTheLog(service);
  }

  it('counts the rows and the failed ones among them, and again when more came', async () => {
    const nobody = { suffix: 'gone.example', to: ['127.0.0.1:1'] };
    const service = await stage.startService({ bypass: [nobody] });
    await ask(service, ['img3.herald.example', 'comments.herald.example', 'a.gone.example']);
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    const before = await agrees(queryLog, service, 3);
    expect(before.wrong).toBe(1);

    await ask(service, ['b.gone.example', 'c.gone.example', 'img3.herald.example']);
    const all = before.all + 3;
    expect(await agrees(queryLog, service, all)).toEqual({ all, wrong: 3 });

    await queryLog.filter.fill('gone');
    await eventually('the chart is of the filter', async () => {
      const shown = await queryLog.counted();
      return shown?.all === 3 && shown.wrong === 3;
    });
    await service.stop();
  });

  it('draws them at their times, and a dragged range becomes the filter', async () => {
    const service = await stage.startService();
    await ask(service, ['img3.herald.example']);
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    const { all } = await agrees(queryLog, service, 1);
    // it begins an hour ago, and all queries were just now
    expect(Math.min(...(await queryLog.filledPlaces()))).toBeGreaterThan(0.9);

    await queryLog.dragAcross(0.1, 0.4);
    await expectText(queryLog.content, 'No query fits this filter.');
    await expect.poll(() => queryLog.filter.inputValue()).toMatch(/^since:\S+ until:\S+$/);
    await queryLog.filter.fill('');
    await eventually('all are shown again', async () => (await queryLog.counted())?.all === all);
    await service.stop();
  });

  it('chooses a stretch by the keys, and Escape lets it go', async () => {
    const service = await stage.startService();
    await ask(service, ['img3.herald.example']);
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    const { all } = await agrees(queryLog, service, 1);
    await queryLog.chart.press('End');
    await queryLog.chart.press('Escape');
    await queryLog.chart.press('Enter');
    await expect.poll(() => queryLog.filter.inputValue()).toBe('');

    await queryLog.chart.press('End');
    for (let at = 0; at < 11; at += 1) await queryLog.chart.press('Shift+ArrowLeft');
    await queryLog.chart.press('Enter');
    await eventually('the filter is that stretch', async () =>
      /^since:\S+ until:\S+$/.test(await queryLog.filter.inputValue()),
    );
    await eventually('all lie in it', async () => (await queryLog.counted())?.all === all);
    await service.stop();
  });

  it('ranks domains, programs and clients of the rows that fit, and shows the rows of one', async () => {
    const service = await stage.startService();
    await ask(service, [
      'img3.herald.example',
      'comments.herald.example',
      'comments.herald.example',
      'a.gone.example',
    ]);
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    await queryLog.view('By domain').click();
    // no public suffix is above these names, so their last label stands for all
    const example = queryLog.ranked.filter({ hasText: 'example' });
    await expectText(example.getByRole('cell').first(), '4');
    await expectAccessible(queryLog.page);
    await queryLog.filter.fill('comments');
    await expectText(example.getByRole('cell').first(), '2');
    await expectText(example, '100.0%');
    await queryLog.filter.fill('');
    await expectText(example.getByRole('cell').first(), '4');

    await example.getByRole('button').click();
    await expectText(queryLog.count, '4 of');
    await expect.poll(() => queryLog.filter.inputValue()).toBe('name:example,*.example');
    await queryLog.page.goBack();
    await expectText(example.getByRole('cell').first(), '4');

    await queryLog.view('By client').click();
    await expectText(queryLog.ranked.first(), '127.0.0.1');
    await queryLog.view('By program').click();
    await queryLog.filter.fill('name:nobody.asked.example');
    await expectText(queryLog.content, 'No query of a known program fits this filter.');
    await service.stop();
  });
});
