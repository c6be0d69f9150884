import { expect, test } from 'vitest';
import { closingLine, skipsByReason, sum, whatEnables } from './test-summary.ts';
import { readVerdicts } from './vitest-run.ts';

const empty = { passed: 0, failed: [], skipped: [], crashes: [] };

test('the last line sums both runners and counts a crash as a failure', () => {
  const total = sum([
    { ...empty, passed: 40, skipped: [{ test: 'a', reason: 'no unbound' }] },
    { ...empty, passed: 2, failed: ['b'], crashes: ['vitest ended before it reported'] },
  ]);
  expect(closingLine(total)).toBe('42 passed, 2 failed, 1 skipped');
});

test('skipped tests stand under their reason', () => {
  const lines = skipsByReason([
    { test: 'one', reason: 'no nsd: apt-get install nsd' },
    { test: 'two', reason: '' },
    { test: 'three', reason: 'no nsd: apt-get install nsd' },
  ]);
  expect(lines.slice(0, 4)).toEqual([
    '\nSkipped:',
    '  no nsd: apt-get install nsd',
    '    one',
    '    three',
  ]);
  expect(lines[4]).toContain('no reason given');
});

test('one line has the command that enables most of what was skipped', () => {
  const because = (...reasons: string[]) => reasons.map((reason) => ({ test: 'one', reason }));
  const bare = because(
    'no unbound: apt-get install unbound; network namespaces and raw sockets need root',
    'no nsd: apt-get install nsd',
    'no unbound: apt-get install unbound',
  );
  expect(whatEnables(bare)).toEqual([
    '\nMost of the 3 skipped tests run after: sudo apt-get install nsd unbound && sudo npm test',
  ]);
  expect(whatEnables(because('network namespaces need root'))[0]).toMatch(/after: sudo npm test$/);
  expect(whatEnables(because('this machine is on no network'))).toEqual([]);
});

test('vitest without verdicts has crashed', () => {
  expect(readVerdicts(null, 1).crashes).toHaveLength(1);
  expect(readVerdicts(null, 0).crashes).toHaveLength(1);
});

test('a failing exit code without a failed test counts as a crash', () => {
  expect(readVerdicts(JSON.stringify({ ...empty, passed: 3 }), 1).crashes).toHaveLength(1);
  expect(readVerdicts(JSON.stringify({ ...empty, passed: 3 }), 0)).toEqual({ ...empty, passed: 3 });
});
