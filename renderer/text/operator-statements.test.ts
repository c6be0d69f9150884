import { expect, test } from 'vitest';
import { resolvers } from '../../assets/data/resolvers.json';
import { operatorStatements } from './de/operator-statements.ts';

const said = resolvers
  .flatMap(({ operator, filtering, validation, logging }) => [
    ...[operator, filtering, logging],
    ...(validation === null ? [] : [validation]),
  ])
  .sort();

test('the page has German for each statement of the catalogue, and for no other', () => {
  expect(said.length).toBeGreaterThan(0);
  expect(Object.keys(operatorStatements).sort()).toEqual([...new Set(said)]);
});
