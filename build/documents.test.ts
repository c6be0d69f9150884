import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deadPaths } from './documents.ts';
import { inRoot } from './places.mjs';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: inRoot(''),
  encoding: 'utf8',
}).split('\n');

/** The paths in it are those of an installation. */
const ofInstallations = ['docs/design/packaging.md'];

const documents = files.filter((file) => file.endsWith('.md') && !ofInstallations.includes(file));

test.each(documents)('every path that %s names exists', (document) => {
  expect(deadPaths(readFileSync(inRoot(document), 'utf8'), document, files)).toEqual([]);
});

test('every dependency has its row in decision 0002', () => {
  const parts = readFileSync(inRoot('docs/decisions/0002-chosen-parts.md'), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(inRoot('package.json'), 'utf8'),
  );
  const crates = files
    .filter((file) => /^native\/[^/]+\/Cargo\.toml$/.test(file))
    .flatMap((file) => cratesOf(readFileSync(inRoot(file), 'utf8')));
  const all = [...Object.keys({ ...dependencies, ...devDependencies }), ...crates];
  expect(all.length).toBeGreaterThan(50);
  expect([...new Set(all)].filter((name) => !parts.includes(`\`${name}\``))).toEqual([]);
});

/** Crates that are not ours; a renamed one by its own name. */
function cratesOf(manifest: string): string[] {
  const sections = manifest.split(/^(?=\[)/m).filter((part) => /^\[.*dependencies\]/.test(part));
  const lines = sections.flatMap((part) => part.split('\n')).filter((line) => /^[a-z]/.test(line));
  return lines
    .map((line) => /package = "([^"]+)"/.exec(line)?.[1] ?? line.split(/[ .=]/)[0] ?? '')
    .filter((name) => !name.startsWith('sotto-'));
}

const some = ['native/engine/src/policy/mod.rs', 'app/service/main.ts', 'docs/decisions/0001-a.md'];

test.each([
  ['`app/service/main.ts`, `main.ts`, `service/main.ts`', []],
  ['`policy/`, `native/engine/`, `/etc/sotto/`, `target/addon/`', []],
  ['[one](../decisions/0001-a.md#there), [far](https://main.example/a.ts)', []],
  ['`compileConfig`, `a/b`, `settings.json`', []],
  ['```\napp/\n  service/   the service\n    main.ts  wiring\n```', []],
  ['`app/service/gone.ts`, `gone.rs`', ['app/service/gone.ts', 'gone.rs']],
  ['`app/gone`, `listen/`', ['app/gone', 'listen/']],
  ['[one](0002-b.md)', ['0002-b.md']],
  ['```\n  gone/\n    lost.ts  (`other.ts`)\n```', ['gone/', 'lost.ts', 'other.ts']],
])('finds the dead paths in %j: %j', (text, dead) => {
  expect(deadPaths(text, 'docs/decisions/0001-a.md', some)).toEqual(dead);
});
