/** The page Queries over a query log of 22,055 rows: it counts what SQL counts, and nothing of an earlier filter stays. */
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { record } from '../../app/service/query-log/event-record-fixture.ts';
import { LogStore } from '../../app/service/query-log/log-store.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectGone, expectText } from './expect-page.ts';
import { HomePage } from './pages/home-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { uiStage } from './stage.ts';

const rows = 22_055;
const filters: readonly [filter: string, sql: string][] = [
  ['', '1'],
  ['*', '1'],
  ['-*', '0'],
  ['slower:60ms', 'total > 60000'],
  ['n1', "instr(name, 'n1') > 0"],
  ['/7[.]/ -outcome:failed', "name GLOB '*7.*' AND outcome <> 7"],
  [
    'outcome:failed slower:60ms upstream:quad9',
    "outcome = 7 AND total > 60000 AND upstream = 'quad9'",
  ],
];

describeWith(['sotto', 'sotto-server'], 'the page Queries with a long query log', () => {
  const stage = uiStage();

  /** A service whose query log had all rows at its start. */
  async function startWithQueryLog(): Promise<SottoService> {
    const service = await stage.startService();
    await service.stop();
    fill(service.queryLogFile);
    await service.restart();
    return service;
  }

  async function open(service: SottoService): Promise<QueryLogPage> {
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    return queryLog;
  }

  it('counts under every filter what SQL and "sotto log" count', async () => {
    const service = await startWithQueryLog();
    const queryLog = await open(service);
    for (const [filter, sql] of filters) {
      await queryLog.filter.fill(filter);
      // the rig's own queries are written a moment after their responses
      await eventually(`page, command and SQL agree on ${filter}`, async () => {
        const { stderr } = await service.cli('log', '-n', '1', '--', filter);
        const shown = (await queryLog.count.allInnerTexts()).join();
        const { fitting, all } = counted(service.queryLogFile, sql);
        expect(shown).toContain(`${written(fitting)} of ${written(all)}`);
        expect(stderr).toContain(fitting === 0 ? 'No query' : `1 of ${fitting} that fit`);
        return true;
      });
    }
    await service.stop();
  });

  it('shows nothing of the earlier filter where the next one can not be read', async () => {
    const service = await startWithQueryLog();
    const queryLog = await open(service);
    await queryLog.filter.fill('n7');
    await expectText(queryLog.rows.first(), 'n7');
    await queryLog.filter.fill('outcome:lost');
    await expectText(queryLog.problem, '"lost" is no outcome');
    await expectNothing(queryLog);
    await expectGone(queryLog.alert);
    // Only the service can read an expression.
    await queryLog.filter.fill('/(b/');
    await expectText(queryLog.alert, /./);
    await expectNothing(queryLog);
    await queryLog.filter.fill('outcome:lost');
    await expectGone(queryLog.alert);
    await expectNothing(queryLog);
    await queryLog.filter.fill('n8');
    await expectText(queryLog.rows.first(), 'n8');
    await service.stop();
  });

  it('agrees with the figures of Home and of "sotto stats"', async () => {
    const service = await startWithQueryLog();
    const name = 'img3.herald.example';
    for (let each = 0; each < 3; each += 1) await askUdp(service.v4, encodeQuery(name, 'A'));
    const asked = () => counted(service.queryLogFile, `name = '${name}'`).fitting;
    await expect.poll(asked, { timeout: 60_000 }).toBe(3);
    const { stdout } = await service.cli('stats');
    const [, queries] = /^Queries +(\d+):/m.exec(stdout) ?? [];
    const [, share] = /^Cache +([\d.]+%) of all/m.exec(stdout) ?? [];
    const status = new HomePage(await stage.open(service));
    await status.openDetails();
    await expectText(status.figure('from the cache'), share ?? 'nothing');
    await expectText(status.figure('queries'), queries ?? 'nothing');
    for (const [figure, fitting] of [
      ['queries', queries],
      ['from the cache', '2'],
    ] as const) {
      await status.goTo('Home');
      await status.openDetails();
      await status.figure(figure).click();
      await expectText(new QueryLogPage(status.page).count, `${fitting} of`);
    }
    await service.stop();
  });

  it('follows when another client erases the query log', async () => {
    const service = await startWithQueryLog();
    const queryLog = await open(service);
    await queryLog.filter.fill('n7');
    await expectText(queryLog.rows.first(), 'n7');
    await service.cli('log', 'erase', '--yes');
    await expectText(queryLog.count, '0 of 0');
    await expectGone(queryLog.rows);
    await service.stop();
  });
});

async function expectNothing(queryLog: QueryLogPage): Promise<void> {
  await expectGone(queryLog.rows);
  await expectGone(queryLog.chart);
  await expectGone(queryLog.count);
}

function fill(file: string): void {
  const store = new LogStore(file);
  const first = store.lastId + 1;
  const begin = Date.now() - rows * 1000;
  const all = Array.from({ length: rows }, (_, index) =>
    record({
      id: first + index,
      at: (begin + index * 1000) * 1000,
      name: `n${index}.test`,
      outcome: index % 17 === 0 ? 7 : 0,
      // Times are often just below the limit, where the powers of two in a summary do not decide.
      total: (index * 7919) % 63_000,
      upstream: index % 3 === 0 ? 'quad9' : 'mullvad',
    }),
  );
  store.append(all);
  store.close();
}

function counted(file: string, sql: string): { fitting: number; all: number } {
  const database = new Database(file, { readonly: true });
  const count = (condition: string) =>
    database
      .prepare(`SELECT count(*) FROM events JOIN names ON names.id = name_id WHERE ${condition}`)
      .pluck()
      .get() as number;
  const both = { fitting: count(sql), all: count('1') };
  database.close();
  return both;
}

function written(count: number): string {
  return new Intl.NumberFormat('en-GB').format(count);
}
