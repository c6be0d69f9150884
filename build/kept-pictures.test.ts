/** The pictures in the documents show the page as it is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { digestOf, isKept, keptPictures, notedDigests, sourcesOf } from './kept-pictures.ts';
import { inRoot } from './places.mjs';

const draw = 'SCREENS=home,queries,protect,status-asking,profiles npm run screens';

describe('the pictures that the documents show', () => {
  test.each(keptPictures)('%s is there, and as the sources are', (file) => {
    expect(existsSync(inRoot('docs', 'screens', file)), `${file} is missing: ${draw}`).toBe(true);
    expect(notedDigests()[file], `${file} is stale: ${draw}`).toBe(digestOf(file));
  });

  test('are twelve at most, and no others are there', () => {
    const there = readdirSync(inRoot('docs', 'screens')).filter((file) => file.endsWith('.png'));
    expect(there.filter((file) => !isKept(file))).toEqual([]);
    expect(keptPictures.length).toBeLessThanOrEqual(12);
    const readme = readFileSync(inRoot('README.md'), 'utf8');
    for (const file of keptPictures) expect(readme).toContain(`docs/screens/${file}`);
  });

  test('depend on what they show, and on nothing else', () => {
    const home = sourcesOf('home-light-en-1024.png');
    for (const path of [
      'renderer/components/class-chart.module.css',
      'renderer/components/class-chart.tsx',
      'renderer/styles/tokens.css',
      'renderer/text/en/chart.ts',
      'renderer/text/en/home.ts',
      'e2e/ui/day/plan.ts',
    ])
      expect(home).toContain(path);
    expect(home).not.toContain('renderer/text/en/settings.ts');
    expect(home.filter((path) => path.startsWith('renderer/features/query-log/'))).toEqual([]);
  });
});
