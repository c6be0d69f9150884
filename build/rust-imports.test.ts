/** Imports of the crates in `native/`: downwards only, and never in a circle. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from './places.mjs';
import { circles, importsOf, type Sources, upward } from './rust-imports.ts';

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'native/**/*.rs'],
  { cwd: inRoot(''), encoding: 'utf8' },
)
  .split('\n')
  .filter((file) => file !== '');

const crates = [...new Set(files.map((file) => file.split('/')[1] ?? ''))];

/** The floors of `native/engine/src/upstream/`, the highest first; `upstream/mod.rs` draws them. */
const floors = [
  'assemble/',
  'selection/',
  'pool/',
  'paths/',
  'transport/',
  'stream/',
  'backoff.rs',
  'exchange.rs',
  'condition.rs',
  'connection/',
  'dial/',
  'memory/',
  'failure/',
  'outgoing.rs',
  'clear/',
  'running.rs',
].map((floor) => `upstream/${floor}`);

function sourcesOf(crate: string): Sources {
  const folder = `native/${crate}/src/`;
  const own = files.filter((file) => file.startsWith(folder));
  return new Map(
    own.map((file) => [file.slice(folder.length), readFileSync(inRoot(file), 'utf8')]),
  );
}

test('nothing in upstream/ imports from a higher floor', () => {
  expect(upward(importsOf(sourcesOf('engine')), floors)).toEqual([]);
});

test('every file in upstream/ belongs to a floor', () => {
  const inside = [...sourcesOf('engine').keys()].filter((file) => file.startsWith('upstream/'));
  const without = inside.filter((file) => !floors.some((floor) => file.startsWith(floor)));
  expect(without).toEqual(['upstream/mod.rs']);
});

test('nothing in upstream/ imports from above it', () => {
  const imports = importsOf(sourcesOf('engine'));
  const below = (file: string) => [...imports].filter(([, taken]) => taken.has(file));
  for (const above of ['pipeline.rs', 'engine.rs', 'snapshot.rs', 'resolution.rs', 'envelope.rs'])
    expect(
      below(above)
        .map(([from]) => from)
        .filter((from) => from.startsWith('upstream/')),
    ).toEqual([]);
});

test.each(crates)('no file’s imports in %s lead back to it', (crate) => {
  expect(circles(importsOf(sourcesOf(crate)))).toEqual([]);
});

test('an import from a higher floor is found, however it is written', () => {
  const below = {
    'a use': 'use crate::upstream::pool::Pool;',
    'one in braces': 'use crate::{clock::Clock, upstream::{failure, pool::{self, Pool}}};',
    'a relative one': 'use super::super::pool::Pool;',
    'a path': 'fn of() -> crate::upstream::pool::Pool { todo!() }',
  };
  for (const [how, text] of Object.entries(below)) {
    const sources = new Map([
      ['upstream/pool/mod.rs', ''],
      ['upstream/dial/tls.rs', text],
    ]);
    expect(upward(importsOf(sources), floors), how).toEqual([
      'upstream/dial/tls.rs -> upstream/pool/mod.rs',
    ]);
  }
});

test('a folder that re-exports its files’ items imports them', () => {
  const sources = new Map([
    ['gate/mod.rs', 'mod end;\npub use end::end;'],
    ['gate/end.rs', 'use crate::gate::GATE;'],
  ]);
  expect(circles(importsOf(sources))).toEqual([['gate/end.rs', 'gate/mod.rs']]);
});

test('imports of a file’s own tests do not count', () => {
  const text = '#[cfg(test)]\nmod tests {\n    use crate::upstream::pool::Pool;\n}\n';
  const sources = new Map([
    ['upstream/pool/mod.rs', 'use crate::upstream::dial::tls;'],
    ['upstream/dial/tls.rs', text],
  ]);
  expect(upward(importsOf(sources), floors)).toEqual([]);
  expect(circles(importsOf(sources))).toEqual([]);
});

test('a circle is found, whatever imports lead into it', () => {
  const sources = new Map([
    ['lib.rs', 'use crate::a::A;'],
    ['a.rs', 'use crate::b::B;'],
    ['b.rs', 'use crate::c::C;'],
    ['c.rs', 'use crate::a::A;'],
  ]);
  expect(circles(importsOf(sources))).toEqual([['a.rs', 'b.rs', 'c.rs']]);
});
