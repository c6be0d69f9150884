/** The bytes of an event record mean the same in the design that lays it out and in the contract. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as contract from '../app/contract/query-log/query-event.ts';
import { inRoot } from './places.mjs';

const design = readFileSync(inRoot('docs', 'design', 'engine-boundary.md'), 'utf8');

/** `| 4 | u8 | cost: 0 none 1 reused … |` as a list in the order of its numbers. */
function words(field: string): string[] {
  const row = new RegExp(`\\| u8 \\| ${field}: (.+) \\|`).exec(design)?.[1] ?? '';
  const pairs = [...row.matchAll(/(\d+) ([a-z-]+)/g)];
  expect(pairs.map(([, number]) => Number(number))).toEqual(pairs.map((_, index) => index));
  return pairs.map(([, , word = '']) => word);
}

test.each([
  ['outcome', contract.outcomes],
  ['cost', contract.costs],
  ['transport', contract.transports],
  ['client protocol', contract.clientProtocols],
  ['clear class', contract.clearClasses],
])('%s', (field, expected) => {
  expect(words(field)).toEqual([...expected]);
});
