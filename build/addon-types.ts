/**
 * Compares native/binding/index.d.ts with what the Rust sources export; `--write` replaces it.
 * The binding's build left one line per export in target/napi-types, so nothing is compiled here.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateTypeDef } from '@napi-rs/cli';
import { addonTypeLines, inRoot, root } from './places.mjs';

const checkedIn = inRoot('native', 'binding', 'index.d.ts');
const lines = join(addonTypeLines, 'sotto-binding');

const generated = await declarations();
const current = existsSync(checkedIn) ? readFileSync(checkedIn, 'utf8') : '';

if (process.argv.includes('--write')) {
  writeFileSync(checkedIn, generated);
} else if (generated !== current) {
  console.error('native/binding/index.d.ts is not what the binding exports: npm run addon-types');
  process.exitCode = 1;
}

async function declarations(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-types-'));
  try {
    writeFileSync(join(folder, 'sotto-binding'), withoutRepeats(readFileSync(lines, 'utf8')));
    const { header, dts } = await generateTypeDef({ typeDefDir: folder, cwd: root });
    return header + dts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A library and its tests, compiled side by side, write the same lines twice. */
function withoutRepeats(text: string): string {
  return `${[...new Set(text.split('\n').filter(Boolean))].join('\n')}\n`;
}
