/** The inputs that are kept, and others like them, keep to the rules of the fuzz target. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chance, mutate } from './mutate.ts';
import { judgeText } from './profile-target.ts';

const folder = join(import.meta.dirname, 'corpus', 'profile');
const names = readdirSync(folder);

test.each(names)('%s', (name) => {
  expect(judgeText(readFileSync(join(folder, name))).fault).toBeNull();
});

test('most of them are of a kind of their own', () => {
  const kinds = new Set(names.map((name) => judgeText(readFileSync(join(folder, name))).kind));
  expect(kinds.size).toBeGreaterThan(names.length / 2);
});

test('the same seed makes the same inputs', () => {
  const made = () => {
    const pick = chance(7);
    return Array.from({ length: 50 }, () =>
      mutate(Buffer.from('{"a": 1}'), Buffer.from('[]'), pick),
    );
  };
  expect(made()).toEqual(made());
  expect(new Set(made().map(String)).size).toBeGreaterThan(30);
});
