/** "Protect this computer" as a person sees it: taken, refused in each way, and the way back. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fail } from '../../app/contract/errors.ts';
import type { Verdict } from '../../app/contract/protection/verdict.ts';
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import type { SystemDnsDetails, SystemDnsStatus } from '../../app/contract/system/system-dns.ts';
import { describeWith } from '../rig/available.ts';
import { ToldService } from '../rig/told-service.ts';
import { expectAccessible } from './accessibility.ts';
import { expectFitting, expectText } from './expect-page.ts';
import { ProtectDialog } from './pages/protect-dialog.ts';
import { uiStage } from './stage.ts';

const own: SystemDnsStatus = {
  mechanism: 'resolved',
  wanted: false,
  taken: false,
  since: null,
  links: [],
  givenBackFor: null,
  contest: null,
  trouble: null,
};
const led: SystemDnsStatus = { ...own, wanted: true, taken: true, since: 0, links: ['eth0'] };
const startHelper = 'sudo \'/home/ann/my sotto/sotto-helper\' --for "$USER"';
const unused: Verdict = {
  is: 'not-in-use',
  why: 'not-wanted',
  works: true,
  reached: false,
  unencryptedSince: null,
};
const besides = { exceptions: 0, contested: false, around: [] };
const checking: Verdict = { is: 'connecting', waitsFor: 'look', upstream: 'Quad9', ...besides };
const shielded: Verdict = { is: 'protected', upstream: 'Quad9', exceptions: 0 };

const protect = 'Protect this computer';
const stop = 'Stop protecting this computer';

describeWith(['sotto', 'sotto-server'], 'protecting this computer', () => {
  const stage = uiStage();

  async function told(handlers: Partial<ServiceHandlers>): Promise<ToldService> {
    const home = await mkdtemp(join(stage.lab.directory, 'p-'));
    return await ToldService.start(
      stage.lab,
      home,
      { 'system.status': () => ({ ok: true, value: details(own) }), ...handlers },
      { systemDns: own, verdict: unused },
    );
  }

  const details = (status: SystemDnsStatus, helper: SystemDnsDetails['helper'] = null) => ({
    status,
    found: [],
    own: [],
    helper,
    startHelper,
    gate: { closed: null, unavailable: null },
  });

  it('follows it until a query arrives, with the keyboard alone, and leads back', async () => {
    const service: ToldService = await told({
      'system.take': () => {
        service.tell({ systemDns: led, verdict: checking });
        return { ok: true, value: details(led, { held: 1 }) };
      },
      'system.giveBack': () => {
        service.tell({ systemDns: own, verdict: unused });
        return { ok: true, value: details(own, { held: 0 }) };
      },
    });
    const page = new ProtectDialog(await stage.open(service));
    await page.content.getByRole('button', { name: protect }).waitFor();
    await page.tabTo(protect);
    await page.page.keyboard.press('Enter');
    await expectText(page.outcome, 'Checking that a query of this computer arrives …');
    await expectAccessible(page.page);
    service.tell({ verdict: shielded });
    await expectText(page.outcome, '✓ Working: a query of this computer arrived.');
    await expectAccessible(page.page);
    await page.pressThere(stop);
    await expectText(page.outcome, '✓ This computer asks its network again.');
    await page.page.keyboard.press('Escape');
    await expect.poll(() => page.dialog.count()).toBe(0);
    await expectText(page.state, 'Not in use yet');
  });

  it.each([
    ['en-GB', protect, 'An administrator can do it in a terminal:'],
    ['de-DE', 'Diesen Computer schützen', 'Ein Administrator kann es im Terminal tun:'],
  ])('an account that may not gets the line for a terminal (%s)', async (locale, button, says) => {
    const service = await told({
      'system.take': () => fail('forbidden', 'you have the role observe', 'ask somebody'),
    });
    const look = { locale, width: 320, colorScheme: 'dark' } as const;
    const page = new ProtectDialog(await stage.open(service, look));
    await page.press(button);
    await expectText(page.outcome, says);
    await expectText(page.line, 'sudo sotto system take');
    expect(await page.dialog.innerText()).not.toMatch(/\b(IP|TLS|upstream|resolver|root)\b/i);
    await expectFitting(page.page);
    await expectAccessible(page.page);
    await expectText(page.state, /Not in use yet|Noch nicht aktiv/);
  });

  it('without a helper it names the line that starts one, and goes on once that runs', async () => {
    const service = await told({
      'system.take': () => fail('helper-missing', 'sotto-helper does not run', 'start it'),
    });
    const page = new ProtectDialog(await stage.open(service));
    await page.press(protect);
    await expectText(page.line, startHelper);
    service.tell({ systemDns: led, verdict: shielded });
    await expectText(page.outcome, 'Working: a query of this computer arrived.');
    await expect.poll(() => page.line.count()).toBe(0);
  });

  it('says the exact reason where the system has no way, and does not try for ever', async () => {
    const wanted = { ...own, wanted: true };
    const calls: string[] = [];
    const service: ToldService = await told({
      'system.take': () => {
        service.tell({ systemDns: wanted });
        return fail('no-mechanism', 'file leads programs to port 53 only', 'add "127.0.0.1:53"');
      },
      'system.giveBack': () => {
        calls.push('give back');
        service.tell({ systemDns: own });
        return { ok: true, value: details(own) };
      },
    });
    const page = new ProtectDialog(await stage.open(service));
    await page.press(protect);
    await expectText(page.outcome, 'file leads programs to port 53 only – add "127.0.0.1:53"');
    await page.pressThere(stop);
    await expectText(page.outcome, 'This computer asks its network again.');
    expect(calls).toEqual(['give back']);
  });

  it('never says that it works before a query arrived', async () => {
    const service: ToldService = await told({
      'system.take': () => ({ ok: true, value: details(led) }),
    });
    const page = new ProtectDialog(await stage.open(service));
    await page.press(protect);
    await expectText(page.outcome, 'This computer is being led to Sotto …');
    service.tell({ systemDns: led, verdict: { ...unused, why: 'coverage-gap' } });
    await expectText(page.outcome, 'the queries of its programs go elsewhere');
    const seconds = { is: 'blocked', by: 'no-path', cause: '', ...besides } as const;
    service.tell({ systemDns: led, verdict: seconds });
    await expectText(page.outcome, 'This computer asks Sotto now. Blocked.');
    service.tell({ systemDns: { ...led, taken: false, givenBackFor: 'contested' } });
    await expectText(page.outcome, 'Another program has taken this computer’s queries over');
    await page.dialog.getByRole('button', { name: 'Try again' }).waitFor();
  });
});
