import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { HelperRequest } from '../../contract/system/helper-protocol.ts';
import type { DownPeriod } from '../protection/ledger.ts';
import { takeOverOrphaned } from './orphaned.ts';

function scene(...orphaned: { since: number; reason: string }[]) {
  const added: DownPeriod[] = [];
  const asked: (HelperRequest | string)[] = [];
  const helper = {
    async ask(request: HelperRequest) {
      asked.push(request);
      return succeed(
        request.verb === 'status' ? { held: [], orphaned } : { forgotten: true as const },
      );
    },
  };
  const ledger = {
    add(periods: readonly DownPeriod[]) {
      asked.push('added');
      added.push(...periods);
    },
  };
  return { helper, ledger, added, asked };
}

test('what the helper gave back alone is in the ledger before the helper forgets it', async () => {
  const { helper, ledger, added, asked } = scene(
    { since: 5, reason: 'dead' },
    { since: 9, reason: 'dead again' },
  );
  await takeOverOrphaned(helper, ledger);
  expect(added).toEqual([
    { since: 5, until: null, reason: 'dead', count: null, who: 'sotto-helper' },
    { since: 9, until: null, reason: 'dead again', count: null, who: 'sotto-helper' },
  ]);
  expect(asked.slice(1)).toEqual(['added', { verb: 'forget-orphaned', until: 9 }]);
});

test('a ledger that takes nothing leaves it with the helper', async () => {
  const { helper, asked } = scene({ since: 5, reason: 'dead' });
  const full = {
    add() {
      throw new Error('disk full');
    },
  };
  await expect(takeOverOrphaned(helper, full)).rejects.toThrow('disk full');
  expect(asked).toEqual([{ verb: 'status' }]);
});

test('without a helper, and where nothing was, nothing is asked for', async () => {
  const none = scene();
  await takeOverOrphaned(none.helper, none.ledger);
  expect(none.asked).toEqual([{ verb: 'status' }]);
  const missing = { ask: async () => fail('helper-missing', 'none', 'install it') };
  await takeOverOrphaned(missing, none.ledger);
  expect(none.added).toEqual([]);
});
