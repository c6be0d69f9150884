/** The first run describes every resolver that comes with Sotto in its own words, in both languages. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { firstRun as german } from '../renderer/text/de/first-run.ts';
import { firstRun as english } from '../renderer/text/en/first-run.ts';
import { inRoot } from './places.mjs';

interface Catalogue {
  resolvers: { id: string; retired: object | null }[];
}

test('each resolver that is not retired is described', () => {
  const file = readFileSync(inRoot('assets', 'data', 'resolvers.json'), 'utf8');
  const { resolvers } = JSON.parse(file) as Catalogue;
  const ids = resolvers.filter(({ retired }) => retired === null).map(({ id }) => id);
  for (const { upstream } of [english, german])
    expect(Object.keys(upstream.about).sort()).toEqual(ids.sort());
});
