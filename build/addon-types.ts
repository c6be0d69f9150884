/**
 * Compares native/binding/index.d.ts with what the Rust sources export; `--write` replaces it.
 * The binding's compilation left one line per export in target/napi-types: nothing is compiled here.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { declarations } from './addon-declarations.ts';
import { addonTypeLines, inRoot } from './places.mjs';

const checkedIn = inRoot('native', 'binding', 'index.d.ts');
const generated = declarations(readFileSync(addonTypeLines, 'utf8'));
const current = existsSync(checkedIn) ? readFileSync(checkedIn, 'utf8') : '';

if (process.argv.includes('--write')) {
  writeFileSync(checkedIn, generated);
} else if (generated !== current) {
  console.error('native/binding/index.d.ts is not what the binding exports: npm run addon-types');
  process.exitCode = 1;
}
