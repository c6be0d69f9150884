/** How much script the page loads at most: all of it, as it travels. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { rendererOutput } from '../../build/places.mjs';

const most = 250_000;
const folder = join(rendererOutput, 'assets');

it('the script of all pages together stays below 250 kB', (context) => {
  if (!existsSync(folder)) context.skip('the page is not built: npm test builds it');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(scripts).not.toEqual([]);
  const octets = scripts.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(octets.reduce((sum, one) => sum + one, 0)).toBeLessThan(most);
});
