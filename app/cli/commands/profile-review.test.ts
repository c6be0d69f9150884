/** What an issuer looks at before signing, on the command line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Ran, runCommand } from '../fixtures/fake-service.ts';

const facts = { id: 'example-corp', serial: 7, issuer: 'Example Corp', name: 'Laptops' };
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-profile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const at = (name: string) => join(folder, name);
const run = (...words: string[]): Promise<Ran> => runCommand(folder, 'profile', ...words);

function profile(name: string, settings: object, more: object = {}): string {
  writeFileSync(at(name), JSON.stringify({ ...facts, settings, ...more }, null, 2));
  return at(name);
}

test('what loosens protection is named', async () => {
  const file = profile('corp.json', {
    bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.1'] }] },
    consent: { value: 'administrator' },
  });
  const { code, out } = await run('lint', file);
  expect([code, out]).toEqual([0, expect.stringMatching(/It loosens.*: bypass\.\n.* is fine/)]);
  const { problems, loosening } = JSON.parse((await run('lint', file, '--json')).out);
  expect([problems, loosening]).toEqual([[], ['bypass']]);
});

test('two profiles are compared, and what takes protection away is marked', async () => {
  const old = profile('7.json', {
    downgrade: { value: 'refuse', lock: 'locked' },
    'cache.entries': { value: 10 },
  });
  const next = profile(
    '8.json',
    { downgrade: { value: 'warn', lock: 'locked' }, consent: { value: 'administrator' } },
    { serial: 8 },
  );
  const { out } = await run('diff', old, next);
  expect(out).toMatch(
    /^! downgrade: "refuse", locked → "warn", locked \(takes protection away\)$/m,
  );
  expect(out).toMatch(/^ {2}consent: nothing → "administrator", default$/m);
  expect(out).toMatch(/^ {2}cache\.entries: 10, default → nothing$/m);
  expect((await run('diff', next, old)).out).toContain('no machine would take it');
  expect((await run('diff', old, old)).out).toContain('Both say the same');
});

test('no field that differs is passed over, and another key or id is marked', async () => {
  const settings = { downgrade: { value: 'refuse', lock: 'locked', reason: 'a' } };
  const old = profile('7.json', settings);
  await run('keygen', at('next'), '--no-password');
  const nextKey = readFileSync(at('next.pub'), 'utf8').split('\n')[1] ?? '';
  const more: Record<string, unknown> = {
    id: 'other-corp',
    nextKey,
    rollout: { ring: 'canary', percent: 5 },
    notBefore: '2030-01-01T00:00:00Z',
    notAfter: '2031-01-01T00:00:00Z',
    strict: true,
  };
  for (const [field, value] of Object.entries(more)) {
    const { out } = await run('diff', old, profile('8.json', settings, { [field]: value }));
    const mark = ['id', 'nextKey'].includes(field) ? '!' : ' ';
    expect(out).toMatch(new RegExp(`^${mark} ${field}: .* → `, 'm'));
    expect(out).not.toContain('Both say the same');
  }
  const keyed = await run('diff', old, profile('8.json', settings, { nextKey }));
  expect(keyed.out).toMatch(/whoever has that key decides.*\n +its fingerprint: [0-9a-f]{4} /);
  const entry = { value: 'refuse', lock: 'locked', reason: 'b', until: '2030-01-01T00:00:00Z' };
  const { out } = await run('diff', old, profile('8.json', { downgrade: entry }));
  expect(out).toMatch(/^! downgrade: "refuse", locked, reason "a" → .*until "2030.*reason "b"/m);
});

test('of a long list only what came, went, changed or moved is told', async () => {
  const rules = Array.from({ length: 300 }, (_, n) => ({
    suffix: `c${n}.example`,
    to: ['192.0.2.53'],
  }));
  const old = profile('7.json', { bypass: { value: rules } });
  const changed = rules.map((rule, n) => (n === 150 ? { ...rule, to: ['192.0.2.66'] } : rule));
  const diffOf = async (value: unknown) => {
    const { out } = await run('diff', old, profile('8.json', { bypass: { value } }, { serial: 8 }));
    const lines = out.split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(200);
    return lines.filter((line) => line.startsWith('    '));
  };
  expect(await diffOf(changed)).toEqual(
    ['    + bypass[150].to[0] "192.0.2.66"', '    - bypass[150].to[0] "192.0.2.53"'].reverse(),
  );
  expect(await diffOf(rules.toSpliced(7, 1))).toEqual([
    '    - bypass[7] {"suffix":"c7.example","to":["192.0.2.53"]}',
  ]);
  expect(await diffOf([...rules.slice(1), rules[0]])).toEqual([
    '    ~ bypass[0] → bypass[299] {"suffix":"c0.example","to":["192.0.2.53"]}',
  ]);
  const added = await run('diff', profile('6.json', {}, { serial: 6 }), old);
  expect(added.out).toContain('bypass: nothing → a list of 300, default');
  expect(added.out.match(/^ {4}\+ bypass/gm)).toHaveLength(300);
});

test('letters that look alike are told apart', async () => {
  const entry = (reason: string) => ({ downgrade: { value: 'refuse', reason } });
  const old = profile('7.json', entry('caf\u00e9'));
  const next = profile('8.json', entry('cafe\u0301'), { serial: 8, issuer: 'Ex\u0430mple Corp' });
  const { out } = await run('diff', old, next);
  expect(out).toContain('letters: "Example Corp" → "Ex\\u0430mple Corp"');
  expect(out).toContain('caf\\u00e9" → "refuse", default, reason "cafe\\u0301"');
});

test('what is doubtful is told with an exit code of its own, and so is what has to be allowed', async () => {
  const file = profile(
    'corp.json',
    {
      pause: { value: 'code', lock: 'locked' },
      bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.1'] }] },
    },
    { notAfter: '2020-01-01T00:00:00Z', rollout: { percent: 0 } },
  );
  const { code, out, errors } = await run('lint', file);
  expect(code).toBe(1);
  expect(errors).toMatch(/notAfter: it is in the past/);
  expect(errors).toMatch(/rollout\.percent: of 0 % no machine/);
  expect(errors).toMatch(/:\d+: settings\.pause\.value: without "systemDns\.take"/);
  expect(out).toMatch(/--allow bypass;.*\n +bypass +bypass\n/);
  const { ok, doubts, needs } = JSON.parse((await run('lint', file, '--json')).out);
  expect([ok, doubts.length, needs.usually]).toEqual([
    true,
    3,
    [{ grant: 'bypass', settings: [{ key: 'bypass' }] }],
  ]);
  await run('keygen', at('corp'), '--no-password');
  const signed = await run('sign', file, '--key', at('corp.key'));
  expect([signed.code, signed.errors]).toEqual([0, expect.stringContaining('in the past')]);
});
