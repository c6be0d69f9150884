/**
 * The boundary between Rust and TypeScript, in three files that are written from the Rust sources (decision 0043). Tests of the
 * crates compare or write two of them. The third, native/binding/index.d.ts, is made here from the lines that napi-derive writes
 * to target/napi-types, one for each export of the binding. Without `--write` that file is compared.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { declarations } from './addon-declarations.ts';
import { cargoEnvironment, workspace } from './native.mjs';
import { addonTypeLines, inRoot } from './places.mjs';

const checkedIn = inRoot('native', 'binding', 'index.d.ts');
const generated = declarations(readFileSync(addonTypeLines, 'utf8'));
const current = existsSync(checkedIn) ? readFileSync(checkedIn, 'utf8') : '';

if (process.argv.includes('--write')) {
  writeFileSync(checkedIn, generated);
  const { status } = spawnSync(
    'cargo',
    [
      'test',
      ...workspace,
      '-p',
      'sotto-engine',
      '-p',
      'sotto-watch',
      '--lib',
      '--',
      'the_words_are',
      'the_shapes_are',
    ],
    {
      cwd: inRoot(''),
      stdio: 'inherit',
      env: { ...cargoEnvironment(), SOTTO_WRITES_BOUNDARY: 'yes' },
    },
  );
  process.exitCode = status ?? 1;
} else if (generated !== current) {
  console.error('native/binding/index.d.ts is not what the binding exports: npm run boundary');
  process.exitCode = 1;
}
