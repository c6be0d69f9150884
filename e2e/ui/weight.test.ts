/** The page's script as it is transferred, all files together, has a limit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { rendererOutput } from '../../build/places.mjs';

const most = 285_000;
const folder = join(rendererOutput, 'assets');

const scripts = () => readdirSync(folder).filter((name) => name.endsWith('.js'));

it('the script of all pages together stays below 285 kB', (context) => {
  if (!existsSync(folder)) context.skip('the page is not built: npm test builds it');
  expect(scripts()).not.toEqual([]);
  const octets = scripts().map((name) => gzipSync(readFileSync(join(folder, name))).length);
  expect(octets.reduce((sum, one) => sum + one, 0)).toBeLessThan(most);
});

it('the page does not contain the library for the validators', (context) => {
  if (!existsSync(folder)) context.skip('the page is not built: npm test builds it');
  const withValidators = scripts().filter((name) =>
    /\bsafeParse\b|\b_zod\b/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(withValidators).toEqual([]);
});
