/** The page's script as it is transferred, all files together that a reader of one language loads, has a limit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { rendererOutput } from '../../build/places.mjs';
import { type Language, languages } from '../../renderer/text/catalogue.ts';

const most = 290_000;
const folder = join(rendererOutput, 'assets');

const scripts = () => readdirSync(folder).filter((name) => name.endsWith('.js'));

/** The script with everything that is said in one language. */
const named: Record<Language, RegExp> = { en: /^english-/, de: /^german-/ };

it.for(Object.keys(languages) as Language[])(
  'the script of all pages together stays below 290 kB for a reader of %s',
  (language, context) => {
    if (!existsSync(folder)) context.skip('the page is not built: npm test builds it');
    const others = Object.entries(named).filter(([other]) => other !== language);
    expect(scripts().filter((name) => named[language].test(name))).toHaveLength(1);
    const loaded = scripts().filter((name) => !others.some(([, other]) => other.test(name)));
    const octets = loaded.map((name) => gzipSync(readFileSync(join(folder, name))).length);
    expect(octets.reduce((sum, one) => sum + one, 0)).toBeLessThan(most);
  },
);

it('the page does not contain the library for the validators', (context) => {
  if (!existsSync(folder)) context.skip('the page is not built: npm test builds it');
  const withValidators = scripts().filter((name) =>
    /\bsafeParse\b|\b_zod\b/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(withValidators).toEqual([]);
});
