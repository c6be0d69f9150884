import { expect, test } from 'vitest';
import type { CoverageMap, CoverageRow } from '../../contract/system/coverage.ts';
import { renderCoverage } from './coverage.ts';

const row: CoverageRow = {
  ...{ source: 'counted', kind: 'program', name: 'camera', user: 'ann', weighs: true, fix: null },
  ...{ to: ['192.0.2.1:53', '192.0.2.2:53'], count: 7, rejected: 2, since: 0, newest: 0 },
  text: 'camera sent 7 queries past Sotto.',
  remedy: 'change it',
  says: { text: [], remedy: [] },
};
const map = (changes: Partial<CoverageMap>): string =>
  renderCoverage({
    ...{ at: 0, countsSince: 0, uncounted: null, rows: [], limits: [], ...changes },
  }).join('\n');

test('each row has who, where to, how often and what to do', () => {
  const said = map({ rows: [row] });
  expect(said).toMatch(/! +camera +ann +counted +192\.0\.2\.1:53 and 1 more +7 +2 /);
  expect(said).toContain('camera sent 7 queries past Sotto.\n  → change it');
});

test('what nobody may know or count is a dash', () => {
  const hidden = { ...row, name: '', user: null, to: [], count: null, rejected: null };
  const unknown = { ...hidden, since: null, newest: null, weighs: false };
  expect(map({ rows: [unknown] })).toMatch(/– +– +counted +– +– +– +– +–/);
});

test('control characters in the name of a group do nothing to a terminal', () => {
  expect(map({ rows: [{ ...row, name: 'a\u001b[2J' }] })).not.toContain('\u001b');
});

test('where nothing is counted, it says so and why', () => {
  const limits = [{ code: 'limit-uncounted', params: { why: 'the gate does not run' } }];
  const said = map({ countsSince: null, uncounted: 'the gate does not run', limits });
  expect(said).toContain('Nothing was seen to go around Sotto.');
  expect(said).toContain('Packets are not counted now.');
  expect(said).toContain('Packets can not be counted here: the gate does not run.');
});
