/**
 * Names that attack programs which show them, queried through the real service: every page, export and the clipboard stay
 * harmless.
 */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { encodeQuery, parse } from '../rig/message.ts';
import { run } from '../rig/process.ts';
import { askTcp, askUdp } from '../rig/raw-client.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectHarmless, obeyed } from './expect-harmless.ts';
import { expectText } from './expect-page.ts';
import { hostileZone, names, talkative } from './hostile-names.ts';
import { DiagnosticsPage } from './pages/diagnostics-page.ts';
import { ExceptionsPage } from './pages/exceptions-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { uiStage, upstreamName } from './stage.ts';

/** The names as DNS writes them, and every page does. */
const image = String.raw`\<img\032src=x`;
const turned = String.raw`\226\128\174gpj`;
const shownNames = [image, turned, 'red', '=cmd', 'reboot'];

const pages = ['home', 'queries', 'providers', 'exceptions', 'ledger', 'networks', 'settings'];

describeWith(['sotto', 'sotto-server', 'dig'], 'names that attack programs which show them', () => {
  const stage = uiStage(hostileZone);

  async function asked(): Promise<SottoService> {
    const service = await stage.startService({
      bypass: [{ suffix: 'corp.example', to: ['127.0.0.1:9'] }],
    });
    for (const name of names) {
      const answer = parse(await askUdp(service.v4, encodeQuery(name, 'A')));
      expect(answer.answers).toHaveLength(1);
    }
    expect((await askTcp(service.v4, encodeQuery(talkative, 'TXT'))).length).toBeGreaterThan(
      10_000,
    );
    await service.logged('talkative.*');
    return service;
  }

  it('every page shows them as text', async () => {
    const service = await asked();
    const queryLog = new QueryLogPage(await stage.open(service));
    for (const page of pages) {
      await queryLog.page.evaluate(`location.hash = '/${page}'`);
      await expectText(queryLog.content, /\w{3}[\s\S]{40}/);
      await expectHarmless(queryLog.page);
    }
    await service.stop();
  });

  it('a row shows the whole name, its response of ten thousand octets, and that of every upstream', async () => {
    const service = await asked();
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    for (const shown of [...shownNames, 'talkative']) {
      await queryLog.filter.fill(shown);
      await queryLog.row(shown).first().click();
      await expectText(queryLog.detail, shown);
      await queryLog.button('Ask again').click();
      await expectText(queryLog.detail, /NOERROR · \d+ record/);
      await queryLog.button('Ask every provider').click();
      const beside = queryLog.detail.getByRole('list', { name: 'Answers side by side' });
      await expectText(beside, upstreamName);
      await expectText(beside, 'NOERROR');
      await expectHarmless(queryLog.page);
    }
    await service.stop();
  });

  it('filters and rules with them, and the palette, keep them as text', async () => {
    const service = await asked();
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    await queryLog.filter.fill(image);
    await expectText(queryLog.content, /^1 of \d+$/m);
    await expectHarmless(queryLog.page);
    await queryLog.row(image).click();
    await queryLog.button(/^Always send/).click();
    const rules = new ExceptionsPage(queryLog.page);
    await expectText(rules.dialog, image);
    await expectHarmless(queryLog.page);
    await rules.button('Close').click();
    await rules.explain(`${turned}.hostile.example`);
    await expectText(rules.content, turned);
    await service.stop();
  });

  it('a copied dig command sends the same query, whatever a shell interprets', async () => {
    const service = await asked();
    const queryLog = new QueryLogPage(await stage.open(service));
    const origin = new URL(queryLog.page.url()).origin;
    await queryLog.page
      .context()
      .grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await queryLog.goTo('Queries');
    for (const shown of shownNames) {
      await queryLog.row(shown).first().click();
      await expectText(queryLog.detail, shown);
      await queryLog.page.evaluate("navigator.clipboard.writeText('')");
      await queryLog.button('Copy as dig').click();
      const command = await eventually('it is copied', () =>
        queryLog.page
          .evaluate<string>('navigator.clipboard.readText()')
          .then((text) => text || null),
      );
      expect(command).not.toMatch(obeyed);
      const { stdout } = await run('sh', ['-c', `${command} +noall +answer`]);
      expect(stdout, command).toMatch(/\sA\s+192\.0\.2\.7$/m);
    }
    await service.stop();
  });

  it('exported files have one line for each query, and no formula', async () => {
    const service = await asked();
    const queryLog = new QueryLogPage(await stage.open(service));
    await queryLog.goTo('Queries');
    await expectText(queryLog.row('talkative'), upstreamName);
    const csv = await saved(queryLog, 'Save as CSV');
    expect(csv.replaceAll('\r\n', '')).not.toMatch(obeyed);
    expect(csv).not.toMatch(/(^|[,\n])"?[=+\-@|]/);
    expect(csv).toContain(String.raw`"'=cmd\|`);
    const lines = csv.trimEnd().split('\r\n');
    const json = (await saved(queryLog, 'Save as NDJSON')).trimEnd().split('\n');
    expect(json).toHaveLength(lines.length - 1);
    const kept = json.map((line) => JSON.parse(line) as { name: string });
    expect(kept.map(({ name }) => name)).toContain(
      String.raw`\<img\032src=x\032onerror=alert\(1\)\>.hostile.example`,
    );
    expect(json.join('\n')).not.toMatch(obeyed);
    await service.stop();
  });

  it('exported rules and the report contain nothing that a program would execute', async () => {
    const service = await asked();
    const rules = new ExceptionsPage(await stage.open(service));
    await rules.goTo('Exceptions');
    for (const entry of ['Save as JSON', 'Save as text']) {
      const download = rules.page.waitForEvent('download');
      await rules.choose(entry);
      const text = await readFile(await (await download).path(), 'utf8');
      expect(text).toContain('corp.example');
      expect(text).not.toMatch(obeyed);
    }
    const diagnostics = new DiagnosticsPage(rules.page);
    await diagnostics.goTo('Troubleshoot');
    await diagnostics.press('Compose a report');
    await expectText(diagnostics.report, /protection: private/);
    const report = await diagnostics.report.innerText();
    expect(report).not.toMatch(/hostile|gpj|img src/);
    await expectHarmless(diagnostics.page);
    await service.stop();
  });
});

async function saved(queryLog: QueryLogPage, entry: string): Promise<string> {
  const download = queryLog.page.waitForEvent('download');
  await queryLog.button('More').click();
  await queryLog.menuItem(entry).click();
  return await readFile(await (await download).path(), 'utf8');
}
