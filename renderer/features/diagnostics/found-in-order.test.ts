import { expect, test } from 'vitest';
import type { Finding } from '../../../app/contract/status/finding.ts';
import { inOrder } from './found-in-order.ts';

const finding = (check: string, verdict: Finding['verdict']): Finding => ({
  check,
  subject: '',
  verdict,
  text: check,
  remedy: null,
  says: { text: [], remedy: [] },
  action: null,
});

test('what failed is first, what is to be considered next, and what is fine apart', () => {
  const { problems, fine, failed, doubtful } = inOrder([
    finding('guardian', 'warn'),
    finding('clock', 'ok'),
    finding('upstream', 'fail'),
    finding('disk', 'warn'),
    finding('path', 'fail'),
  ]);
  expect(problems.map(({ check }) => check)).toEqual(['upstream', 'path', 'guardian', 'disk']);
  expect(fine.map(({ check }) => check)).toEqual(['clock']);
  expect([failed, doubtful]).toEqual([2, 2]);
});
