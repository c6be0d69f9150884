/** The vectors that ours is tested with are those of the description. SOTTO_WRITE_VECTORS=1 writes them anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { vectors } from './vectors.ts';

test('the vectors of EncDNS are in the tree as another implementation computes them', () => {
  const file = new URL('../../../native/encdns/tests/vectors.txt', import.meta.url);
  const computed = vectors();
  if (process.env['SOTTO_WRITE_VECTORS'] === '1') writeFileSync(file, computed);
  expect(readFileSync(file, 'utf8'), 'SOTTO_WRITE_VECTORS=1 npm test -- encdns/vectors').toBe(
    computed,
  );
});
