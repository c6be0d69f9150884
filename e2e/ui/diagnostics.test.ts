/** The Diagnostics page over the real service. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { freePort } from '../rig/ports.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectGone, expectNoOverflow, expectText } from './expect-page.ts';
import { DiagnosticsPage } from './pages/diagnostics-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

const systemResolvers = ['127.0.0.1:9'];

describeWith(['sotto', 'sotto-server'], 'the Diagnostics page', () => {
  const stage = uiStage();

  async function open(service: SottoService, look: Look = {}): Promise<DiagnosticsPage> {
    const diagnostics = new DiagnosticsPage(await stage.open(service, look));
    await diagnostics.goTo(/^(Troubleshoot|Fehlersuche)$/);
    await expectText(diagnostics.content, /Process|Prozess/);
    return diagnostics;
  }

  it('examines the service on request, and turns protection on by a remedy', async () => {
    const service = await stage.startService({ systemResolvers });
    await service.cli('off');
    const page = await open(service);
    await page.press('Examine now');
    await expectText(page.content, /\d+ in order, \d+ to consider, \d+ failed/);
    await expectText(page.finding('Provider'), upstreamName);
    await expectText(page.finding('Guardian'), /consider.*Nobody guards the service/s);
    await expectText(page.finding('Protection'), 'consider');
    await expectAccessible(page.page);

    const turnOn = page.finding('Protection').getByRole('button', { name: 'Turn protection on' });
    await turnOn.click();
    await expectText(page.finding('Protection'), 'Not in use yet');
    await expectGone(turnOn);
    expect((await service.status()).protection.state).toBe('private');
    await service.stop();
  });

  it('says what a missing upstream needs, and tests it again on request', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const service = await stage.startService({
      upstreams: [{ id: 'nowhere', transport: 'dot', address, name: 'nowhere.example' }],
    });
    const page = await open(service);
    await expectText(page.section('What to know'), 'No private path');
    await page.press('Examine now');
    await expectText(page.content, /\d+ in order, \d+ to consider, \d+ failed/);
    await expectText(page.finding('Provider'), address);
    const again = page.finding('Provider').getByRole('button', { name: /Test .* again/ });
    await expectText(again, 'Test nowhere again');
    await again.click();
    await expectText(page.page.getByRole('status'), 'Carried out, then examined again.');
    await expectAccessible(page.page);
    await service.stop();
  });

  it('composes a report without queried names, and copies it', async () => {
    const service = await stage.startService();
    await dig(service.v4, 'www.herald.example');
    const page = await open(service);
    const origin = new URL(page.page.url()).origin;
    await page.page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await page.press('Compose a report');
    await expectText(page.report, /protection: private/);
    await expectText(page.report, /queries: [1-9]/);
    const shown = await page.report.innerText();
    expect(shown).not.toContain('herald');
    expect(shown).not.toContain(service.home);
    expect(shown).not.toContain('127.0.0.1');
    await expectAccessible(page.page);

    await page.press('Copy');
    await expectText(page.page.getByRole('status'), 'The report was copied.');
    const copied = await page.page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.trim()).toBe(shown.trim());
    await service.stop();
  });

  it('shows the facts, and links to the settings of the query log', async () => {
    const service = await stage.startService({ queryLog: { keepDays: 5 } });
    const { version, pid } = await service.status();
    const page = await open(service);
    const facts = page.section('Service');
    await expectText(facts, version);
    await expectText(facts, `Process\n${pid}`);
    await expectText(facts, `127.0.0.1:${service.port}`);
    await expectText(facts, '5 days, at most');
    await facts.getByRole('link', { name: 'Change' }).click();
    await expectText(page.content, '4 settings');
    await service.stop();
  });

  it('explains in German what is wrong, and fits 320 px in the dark', async () => {
    const service = await stage.startService();
    await writeFile(join(service.home, 'settings.json'), '{ "downgrade": "never" }');
    const page = await open(service, { width: 320, colorScheme: 'dark', locale: 'de-DE' });
    const known = page.section('Hinweise');
    await expectText(known, 'Die Einstellungen enthalten einen Fehler');
    await expectText(known, 'Es gelten die letzten fehlerfreien Einstellungen.');
    await expectText(known, '"never" is not a downgrade policy');
    await page.press('Jetzt untersuchen');
    await expectText(page.content, /\d+ in Ordnung, \d+ zu bedenken, \d+ fehlgeschlagen/);
    await page.press('Bericht erstellen');
    await expectText(page.report, 'settings-invalid');
    await expectNoOverflow(page.page);
    await expectAccessible(page.page);
    await service.stop();
  });
});
