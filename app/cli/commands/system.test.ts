import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { SystemDnsDetails, SystemDnsStatus } from '../../contract/system/system-dns.ts';
import { fail as failed, warn } from '../../service/doctor/finding.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';

const status: SystemDnsStatus = {
  mechanism: 'resolved',
  wanted: true,
  taken: true,
  since: Date.UTC(2026, 0, 31, 14, 2),
  links: ['eth0', 'tun\u001b0'],
  givenBackFor: null,
  contest: null,
  trouble: null,
};

function details(changes: Partial<SystemDnsStatus> = {}): SystemDnsDetails {
  return {
    status: { ...status, ...changes },
    found: [{ mechanism: 'resolved', usable: true, why: 'It runs.' }],
    own: ['192.0.2.1:53'],
    helper: { held: 2 },
    startHelper: 'sudo systemctl start sotto-helper.socket',
    gate: { closed: null, unavailable: null },
  };
}

test('status says in one line whom programs ask, and what stands behind it', async () => {
  const home = await serve({ 'system.status': () => succeed(details()) });
  const { code, out } = await runCommand(home, 'system', 'status');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^System DNS: taken by resolved since .*14:02, will be given back on quit\.\n/,
  );
  expect(out).toMatch(/Links +eth0, tun.+0/);
  expect(out).not.toContain('\u001b');
  expect(out).toMatch(/Without us +192\.0\.2\.1:53\n/);
  expect(out).toMatch(/resolved +yes +It runs\./);
  const json = JSON.parse((await runCommand(home, 'system', 'status', '--json')).out);
  expect(json).toEqual(details());
});

test.each<[Partial<SystemDnsStatus>, RegExp]>([
  [{ taken: false, wanted: false }, /not taken; programs ask whom they asked before/],
  [{ taken: false, givenBackFor: 'off' }, /given back, because Sotto is off/],
  [{ taken: false, givenBackFor: 'no-link' }, /as soon as there is a network link/],
  [{ taken: false, givenBackFor: 'contested' }, /another program keeps changing it/],
  [
    { taken: false, trouble: fail('helper-missing', 'no helper runs', 'install it').failure },
    /not taken yet\.\nno helper runs\.\n→ install it/,
  ],
])('not taken: %j', async (changes, expected) => {
  const home = await serve({ 'system.giveBack': () => succeed(details(changes)) });
  expect((await runCommand(home, 'system', 'give-back')).out).toMatch(expected);
});

test.each<[SystemDnsDetails['gate'], RegExp]>([
  [{ closed: null, unavailable: null }, /Past us +not rejected now/],
  [
    { closed: null, unavailable: 'nftables is not installed' },
    /Past us +not rejected, and can't be: nftables is not installed/,
  ],
  [{ closed: { since: status.since ?? 0, why: 'contested' }, unavailable: null }, /rejected since/],
])('what becomes of queries past us: %j', async (gate, expected) => {
  const home = await serve({ 'system.status': () => succeed({ ...details(), gate }) });
  expect((await runCommand(home, 'system', 'status')).out).toMatch(expected);
});

test('what fails is told with what to do', async () => {
  const home = await serve({
    'system.take': () => fail('helper-missing', 'sotto-helper does not run', 'install Sotto'),
  });
  expect(await runCommand(home, 'system', 'take')).toMatchObject({
    code: 1,
    errors: 'sotto: sotto-helper does not run – install Sotto\n',
  });
});

test.each([
  ['take', 'system.take'],
  ['give-back', 'system.giveBack'],
] as const)('%s names the command of an administrator to whoever may not', async (word, method) => {
  const home = await serve({ [method]: () => fail('forbidden', 'it needs a role', 'join sotto') });
  expect(await runCommand(home, 'system', word)).toMatchObject({
    code: 1,
    errors: `sotto: it needs a role – nothing was done – sudo sotto system ${word}; or join sotto\n`,
  });
});

test('without a service it says how an earlier run is undone', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sotto-none-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const { code, errors } = await runCommand(home, 'system', 'give-back');
  expect(code).toBe(3);
  expect(errors).toContain('sudo sotto-helper give-back');
});

test('a probe ends with 1 where a way that programs use does not lead here', async () => {
  const told = (verdict: typeof warn) =>
    succeed({ at: 1, findings: [verdict('coverage', 'It goes past.', 'mend it', 'x')] });
  const warned = await serve({ 'system.probe': () => told(warn) });
  expect(await runCommand(warned, 'system', 'probe')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^warn +coverage +It goes past\.\n +→ mend it\n$/),
  });
  const withGaps = await serve({ 'system.probe': () => told(failed) });
  expect((await runCommand(withGaps, 'system', 'probe')).code).toBe(1);
});
