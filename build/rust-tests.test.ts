/** No file of Rust tests is forgotten: where a crate has one test program, cargo does not look for files by itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from './places.mjs';

const ofOneProgram = readdirSync(inRoot('native')).filter((crate) =>
  read(crate, 'Cargo.toml').includes('autotests = false'),
);

function read(crate: string, file: string): string {
  try {
    return readFileSync(inRoot('native', crate, file), 'utf8');
  } catch {
    return '';
  }
}

const all = (text: string, form: RegExp) => [...text.matchAll(form)].map(([, name]) => `${name}`);

test.each(ofOneProgram)('each test file of %s is a module of main.rs or a program', (crate) => {
  const files = readdirSync(inRoot('native', crate, 'tests')).filter((name) =>
    name.endsWith('.rs'),
  );
  const modules = all(read(crate, 'tests/main.rs'), /^mod (\w+);$/gm);
  const programs = all(read(crate, 'Cargo.toml'), /^\[\[test\]\]\nname = "(\w+)"$/gm);
  const run = new Set([...modules, ...programs].map((name) => `${name}.rs`));
  expect(files.filter((file) => !run.has(file))).toEqual([]);
});

test('there are such crates', () => {
  expect(ofOneProgram).toContain('engine');
});
