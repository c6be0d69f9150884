import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deadPaths } from './documents.ts';
import { inRoot } from './places.mjs';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: inRoot(''),
  encoding: 'utf8',
}).split('\n');

/** What it names lies where an installation puts it. */
const ofInstallations = ['docs/decisions/0022-packaging.md'];

const documents = files.filter((file) => file.endsWith('.md') && !ofInstallations.includes(file));

test.each(documents)('every path that %s names is there', (document) => {
  expect(deadPaths(readFileSync(inRoot(document), 'utf8'), document, files)).toEqual([]);
});

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
])('in %j, what leads nowhere: %j', (text, dead) => {
  expect(deadPaths(text, 'docs/decisions/0001-a.md', some)).toEqual(dead);
});
