/**
 * The histogram above the query log agrees with the rows, grows with them, and filters by the range over which a person drags.
 */
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectText } from './expect-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { uiStage } from './stage.ts';

describeWith(['sotto', 'sotto-server'], 'the histogram', () => {
  const stage = uiStage();

  const ask = async (service: SottoService, names: string[]) => {
    for (const name of names) await askUdp(service.v4, encodeQuery(name, 'A'), 10_000);
  };

  async function inTheLog(service: SottoService) {
    const events = await service.log({ limit: 1000 });
    const wrong = events.filter(({ outcome }) => /refused|failed|dropped/.test(outcome));
    return { all: events.length, wrong: wrong.length };
  }

  async function agrees(queryLog: QueryLogPage, service: SottoService) {
    await eventually('the picture says what the log says', async () => {
      const [shown, logged] = [await queryLog.counted(), await inTheLog(service)];
      return shown?.all === logged.all && shown.wrong === logged.wrong;
    });
    return await inTheLog(service);
  }

  it('counts the rows and the failed ones among them, and again when more came', async () => {
    const nobody = { suffix: 'gone.example', to: ['127.0.0.1:1'] };
    const service = await stage.startService({ bypass: [nobody] });
    await ask(service, ['img3.herald.example', 'comments.herald.example', 'a.gone.example']);
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    const before = await agrees(queryLog, service);
    expect(before.all).toBeGreaterThanOrEqual(3);
    expect(before.wrong).toBe(1);

    await ask(service, ['b.gone.example', 'c.gone.example', 'img3.herald.example']);
    expect(await agrees(queryLog, service)).toEqual({ all: before.all + 3, wrong: 3 });

    await queryLog.filter.fill('gone');
    await eventually('the picture is of the filter', async () => {
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
    const { all } = await agrees(queryLog, service);
    // it shows an hour, and all queries were just now
    const [first, second] = await queryLog.drawnPixels();
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(0);

    await queryLog.dragAcross(0.1, 0.4);
    await expectText(queryLog.content, 'No query fits this filter.');
    expect(await queryLog.filter.inputValue()).toMatch(/^since:\S+ until:\S+$/);
    await queryLog.filter.fill('');
    await eventually('all are shown again', async () => (await queryLog.counted())?.all === all);
    await service.stop();
  });
});
