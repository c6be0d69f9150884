import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import { say } from '../../contract/sentences/sentence.ts';
import type { FixNow, FixResult } from '../../contract/system/coverage-fix.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';

const file = '/etc/firefox/policies/policies.json';
const can: FixNow = {
  fix: 'firefox',
  present: true,
  since: null,
  inPlace: null,
  files: [file],
  refused: null,
};

test('the list says what can be fixed, what is, and why not', async () => {
  const refused = { message: 'company.json sets it\u001b already', remedy: 'take it out' };
  const fixes: FixNow[] = [
    can,
    { ...can, fix: 'chromium', refused },
    { ...can, fix: 'brave', present: false, refused },
    { ...can, fix: 'docker', since: Date.UTC(2026, 0, 31, 14, 2), inPlace: false },
  ];
  const home = await serve({ 'coverage.fixes': () => succeed({ fixes }) });
  const { code, out } = await runCommand(home, 'fix');
  expect(code).toBe(0);
  expect(out).toMatch(/^firefox +can be fixed +\/etc\/firefox/m);
  expect(out).toMatch(/^chromium +can't be fixed/m);
  expect(out).toMatch(/^brave +not installed/m);
  expect(out).toMatch(/^docker +fixed .*14:02, and changed by others since/m);
  expect(out.match(/company\.json/g)).toHaveLength(1);
  expect(out).toContain('→ take it out');
  expect(out).not.toContain('\u001b');
});

test.each<[string[], Partial<FixResult>, number, RegExp]>([
  [
    ['firefox', '--dry-run'],
    { proved: null, says: say('fix-dry') },
    0,
    /policies\.json:\n {2}- \{"b":1\}\n {2}\+ \{"a":1\}\nNothing was written\.\n/,
  ],
  [['firefox'], { proved: true, files: [], says: say('fix-dry') }, 0, /Every file says it already/],
  [['firefox'], { proved: false, says: say('fix-dry') }, 1, /Not proved: /],
])('fix %j of %j ends with %i', async (words, changes, code, expected) => {
  const files = [{ file, before: '{\n{"b":1}\n}\n', after: '{\n{"a":1}\n}\n' }];
  const result: FixResult = {
    fix: 'firefox',
    files,
    proved: true,
    says: say('fix-dry'),
    ...changes,
  };
  const home = await serve({ 'coverage.fix': () => succeed(result) });
  const ended = await runCommand(home, 'fix', ...words);
  expect(ended.code).toBe(code);
  expect(ended.out).toMatch(expected);
});

test('of a file that only root may read, what Sotto sets in it is shown', async () => {
  const result: FixResult = {
    fix: 'firefox',
    files: [{ file, before: null, after: '{"a":1}\n', hidden: true }],
    proved: null,
    says: say('fix-dry'),
  };
  const home = await serve({ 'coverage.fix': () => succeed(result) });
  const { out } = await runCommand(home, 'fix', 'firefox', '--dry-run');
  expect(out).toMatch(/policies\.json, of which only root may read the rest:\n {2}\+ \{"a":1\}\n/);
});

test('an undo says what became of each file', async () => {
  const files = [{ file, outcome: 'key-taken-out' as const }];
  const undone = { fix: 'firefox' as const, files, says: say('fix-undone') };
  const home = await serve({ 'coverage.undo': () => succeed(undone) });
  const { code, out } = await runCommand(home, 'fix', '--undo', 'firefox');
  expect(code).toBe(0);
  expect(out).toMatch(/policies\.json: what Sotto set is taken out/);
});

test.each([
  [['netscape'], /netscape/],
  [['--undo'], /the name of a fix is missing/],
  [['--dry-run'], /the name of a fix is missing/],
  [['firefox', '--undo', '--dry-run'], /cannot be used with/],
])('%j is wrong usage', async (words, why) => {
  const home = await serve({});
  const { code, errors } = await runCommand(home, 'fix', ...words);
  expect(code).toBe(2);
  expect(errors).toMatch(why);
});

test('a refusal of the helper is told with its remedy', async () => {
  const home = await serve({
    'coverage.fix': () => fail('helper-refused', `${file} is left alone: it is no JSON`, 'by hand'),
  });
  const { code, errors } = await runCommand(home, 'fix', 'firefox');
  expect(code).toBe(1);
  expect(errors).toMatch(/it is no JSON[\s\S]*by hand/);
});
