/** Troubleshoot over the real service. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fail } from '../../app/contract/errors.ts';
import { say } from '../../app/contract/sentences/sentence.ts';
import type { Finding } from '../../app/contract/status/finding.ts';
import { describeHealthIssue, type HealthIssue } from '../../app/contract/status/health-issue.ts';
import type { CoverageFix } from '../../app/contract/system/coverage-fixes.ts';
import { inRoot } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { selfSigned } from '../rig/certificates.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { SottoServer } from '../rig/peers/sotto-server.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { toldExamination } from '../rig/told-examination.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectGone, expectText, focusOn } from './expect-page.ts';
import { DiagnosticsPage } from './pages/diagnostics-page.ts';
import { type Look, uiStage, upstreamName } from './stage.ts';

const bySystemStatus: Finding = {
  check: 'system-dns-contested',
  subject: '',
  verdict: 'warn',
  text: 'Another program changes it.',
  remedy: 'see: sotto system status',
  says: { text: [], remedy: [] },
  action: null,
};
const fixOf = (fix: CoverageFix) => ({ method: 'coverage.fix', params: { fix } });
const systemResolvers = ['127.0.0.1:9'];

describeWith(['sotto', 'sotto-server'], 'Troubleshoot', () => {
  const stage = uiStage();

  async function open(
    service: Pick<SottoService, 'home'>,
    look: Look = {},
  ): Promise<DiagnosticsPage> {
    const diagnostics = new DiagnosticsPage(await stage.open(service, look));
    await diagnostics.goTo(/^(Troubleshoot|Fehlersuche)$/);
    await expectText(diagnostics.content, /Examined|Untersucht/);
    return diagnostics;
  }

  it('turns protection on at a press, says so, and takes it back', async () => {
    const service = await stage.startService({ systemResolvers });
    await service.cli('off');
    const page = await open(service);
    await expectText(page.finding('Guardian'), /consider.*Nothing leaves unencrypted by it/s);
    await expectText(page.finding('Protection'), 'consider');
    await expect.poll(() => page.finding('Provider').count()).toBe(0);
    await expectAccessible(page.page);
    await page.unfold();
    await expectText(page.finding('Provider'), upstreamName);
    await expectAccessible(page.page);

    await page.finding('Protection').getByRole('button', { name: 'Turn protection on' }).click();
    await expectText(page.page.getByRole('status'), 'Protection is on.');
    await expectText(page.finding('Protection'), 'Not in use yet');
    await expect.poll(() => stateOf(service)).toBe('private');
    await page.press('Undo');
    await expectText(page.page.getByRole('status'), 'It is as it was before.');
    await page.finding('Protection').getByRole('button', { name: 'Turn protection on' }).waitFor();
    await expect.poll(() => stateOf(service)).toBe('off');
    await service.stop();
  });

  it('shows a provider that died first, and repairs it with the keyboard once it is back', async () => {
    const name = 'resolver.demo.example';
    const server = await SottoServer.start(stage.lab, {
      answers: inRoot('assets', 'demo', 'example.zone'),
      identity: await selfSigned(stage.lab, { for: [`DNS:${name}`] }),
      name,
    });
    const service = await stage.startService({ upstreams: [server.upstream('hill', 'dot')] });
    await server.stop();
    const page = await open(service);
    await expectText(page.result, /^2 problems, /);
    await expectText(page.problems.first(), 'failed');
    await expectText(page.finding('Provider'), /failed.*hill.*Your other providers answer/s);
    await expectAccessible(page.page);
    const choose = page.finding('Provider').getByRole('link', { name: 'Choose another provider' });
    await expect.poll(() => choose.getAttribute('href')).toBe('#/providers');

    await page.press('Test hill again');
    await expectText(page.page.getByRole('status'), 'hill still gives no answer.');
    await server.start();
    const again = page.finding('Provider').getByRole('button', { name: 'Test hill again' });
    await expect.poll(() => again.isEnabled()).toBe(true);
    await focusOn(again);
    await page.page.keyboard.press('Enter');
    await expectText(page.page.getByRole('status'), 'hill answers.');
    // An examination that comes while the service still rests, or while the machine stands still, finds less.
    await eventually('the provider is found to answer', async () => {
      const whole = (await page.finding('Whole path').allInnerTexts()).join();
      if (whole.includes('forwarded (hill)') && (await page.finding('Provider').count()) === 0)
        return true;
      await page.press('Examine again');
      return false;
    });
    // this provider answers for names of the demo alone, so the way of a query for another one still fails
    await expectText(page.result, /^1 problem, /);
    await service.stop();
  });

  it('puts back a settings file that vanished', async () => {
    const service = await stage.startService();
    const file = join(service.home, 'settings.json');
    const before = await readFile(file, 'utf8');
    await rm(file);
    await knowsOf(service, 'settings-vanished');
    const page = await open(service);
    const vanished = page.finding('A settings file is gone');
    await vanished.getByRole('button', { name: 'Put the file back' }).click();
    await expectText(page.page.getByRole('status'), `${file} is as it was.`);
    await expectGone(vanished);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(JSON.parse(before));
    await service.stop();
  });

  it('shows what a repair of another program changes, and examines again after it', async () => {
    const files = [{ file: '/etc/firefox/policies.json', before: null, after: '{ "off": 1 }' }];
    let fixed = false;
    const about = { check: 'coverage', subject: 'Firefox', says: { text: [], remedy: [] } };
    const past = { ...about, verdict: 'warn' as const, text: 'Firefox asks another.' };
    const waits = { ...past, remedy: 'turn it off', action: fixOf('firefox') };
    const closed = { ...past, verdict: 'ok' as const, remedy: null, action: null };
    const home = await mkdtemp(join(stage.lab.directory, 'd-'));
    const service = await ToldService.start(stage.lab, home, {
      ...toldExamination(() => [fixed ? closed : waits, bySystemStatus]),
      'coverage.fix': ({ fix, dryRun = false }) => {
        fixed = !dryRun;
        const says = say('fix-proved-at-start', { program: 'Firefox' });
        return { ok: true, value: { fix, files, proved: dryRun ? null : true, says } };
      },
    });
    const page = await open(service, { width: 320, height: 640 });
    await expectText(
      page.finding("Something else changes the system's DNS").locator('code'),
      'sotto system status',
    );
    await page.press('Lead Firefox to Sotto');
    const dialog = page.page.getByRole('dialog');
    await expectText(dialog, '/etc/firefox/policies.json');
    expect(fixed).toBe(false);
    await dialog.getByRole('button', { name: 'Change it' }).click();
    await dialog.getByRole('button', { name: 'Undo' }).waitFor();
    await page.page.keyboard.press('Escape');
    await expectGone(page.finding('Coverage'));
    await expectFitting(page.page);
    await expectAccessible(page.page);
  });

  it('shows whoever may not examine what the service says of itself', async () => {
    const home = await mkdtemp(join(stage.lab.directory, 'd-'));
    const refuse = () => fail('forbidden', 'you have the role observe', 'ask an administrator');
    const health = [describeHealthIssue('clock-wrong', '', '', 0)];
    const service = await ToldService.start(stage.lab, home, { 'doctor.run': refuse }, { health });
    const page = new DiagnosticsPage(await stage.open(service));
    await page.goTo('Troubleshoot');
    await expectText(page.result, 'Not examined');
    await expectText(page.content, /The clock seems wrong.*Set this machine's date/s);
    await expectAccessible(page.page);
  });

  it('says that nothing is wrong', async () => {
    const home = await mkdtemp(join(stage.lab.directory, 'd-'));
    const fine = { ...bySystemStatus, verdict: 'ok' as const, remedy: null };
    const service = await ToldService.start(
      stage.lab,
      home,
      toldExamination(() => [fine]),
    );
    const page = await open(service);
    await expectText(page.result, 'Nothing is wrong');
    await expect.poll(() => page.problems.count()).toBe(0);
    await expectAccessible(page.page);
  });

  it('composes a report without queried names, and copies it', async () => {
    const service = await stage.service();
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

    await page.press('Copy report');
    await expectText(page.page.getByRole('status'), 'The report was copied.');
    const copied = await page.page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.trim()).toBe(shown.trim());
  });

  it('shows the facts, and links to the settings of the query log', async () => {
    const service = await stage.service({ queryLog: { keepDays: 5 } });
    const { version, pid } = await service.status();
    const page = await open(service);
    const facts = page.section('Service');
    await expectText(facts, version);
    await expectText(facts, `Process\n${pid}`);
    await expectText(facts, `127.0.0.1:${service.port}`);
    await expectText(facts, '5 days, at most');
    await facts.getByRole('link', { name: 'Change' }).click();
    await expectText(page.content, '4 settings');
  });

  it('explains in German what is wrong, and fits 320 px in the dark', async () => {
    const service = await stage.startService();
    await service.writeSettings('{ "downgrade": "never" }');
    await knowsOf(service, 'settings-invalid');
    const page = await open(service, { width: 320, colorScheme: 'dark', locale: 'de-DE' });
    const known = page.problems.first();
    await expectText(known, 'Die Einstellungen enthalten einen Fehler');
    await expectText(known, 'fehlgeschlagen');
    await expectText(known, 'Es gelten die letzten fehlerfreien Einstellungen.');
    await expectText(known, '"never" is not a downgrade policy');
    await expectText(page.result, /^\d+ Probleme?, \d+ Hinweise?$/);
    await page.press('Bericht erstellen');
    await expectText(page.report, 'settings-invalid');
    await expectFitting(page.page);
    await expectAccessible(page.page);
    await service.stop();
  });
});

async function stateOf(service: SottoService): Promise<string> {
  return (await service.status()).protection.state;
}

/** The service has noticed it, so that an examination finds it. */
async function knowsOf(service: SottoService, issue: HealthIssue['code']): Promise<void> {
  await eventually(issue, async () =>
    (await service.status()).health.some(({ code }) => code === issue),
  );
}
