/**
 * What the bundle evaluates before a command asks the service, which is what a person waits for (docs/measurements/start.md). The
 * contract's validators alone take longer than Node itself.
 */
import { relative } from 'node:path';
import { build, type OutputChunk } from 'rolldown';
import { beforeAll, expect, test } from 'vitest';
import { root } from './places.mjs';
import { program } from './program.ts';

let chunks: ReadonlyMap<string, OutputChunk>;

beforeAll(async () => {
  const { output } = await build({ ...program, write: false });
  const all = output.filter((one) => one.type === 'chunk');
  chunks = new Map(all.map((chunk) => [chunk.fileName, chunk]));
});

/** The command line itself loads nothing but commands later on. */
function commands(): string[] {
  const later = chunks.get('cli.mjs')?.dynamicImports ?? [];
  return later.map((name) => chunks.get(name)?.name ?? '').sort();
}

/** Files of the bundle for the command line with this command. */
function filesFor(command: string): OutputChunk[] {
  const later = chunks.get('cli.mjs')?.dynamicImports ?? [];
  const own = later.find((name) => chunks.get(name)?.name === command) ?? '';
  const reached = new Set(['cli.mjs', own]);
  for (const name of reached)
    for (const other of chunks.get(name)?.imports ?? []) reached.add(other);
  return [...reached].flatMap((name) => chunks.get(name) ?? []);
}

/** The sources in them, ours and those of packages, relative to the repository. */
function loadedFor(command: string): string[] {
  return filesFor(command).flatMap(({ moduleIds }) => moduleIds.map((id) => relative(root, id)));
}

function packagesOf(command: string): string[] {
  const found = loadedFor(command).map((file) => /^node_modules\/([^/]+)/.exec(file)?.[1] ?? '');
  return [...new Set(found)].filter((name) => name !== '').sort();
}

test('status loads nothing but what it shows', () => {
  const files = loadedFor('status');
  expect(packagesOf('status')).toEqual(['commander', 'vscode-jsonrpc']);
  expect(files.filter((file) => /^app\/(service|page)\//.test(file))).toEqual([]);
  expect(files.filter((file) => file.startsWith('app/cli/commands/'))).toEqual([
    'app/cli/commands/status.ts',
  ]);
});

test('status loads no part of Node that its libraries name and never use', () => {
  const code = filesFor('status')
    .map((file) => file.code)
    .join('\n');
  expect(code).toMatch(/getBuiltinModule\([`'"]node:child_process/);
  expect(code).not.toMatch(/(from|require\w*\(|import) *[`'"](node:)?(child_process|crypto)[`'"]/);
});

test('only commands that check what a person wrote load the validators', () => {
  const those = commands().filter((command) => packagesOf(command).includes('zod'));
  // "coverage" reads the settings of browsers as the service does; "ui" serves the page, and stays.
  expect(those).toEqual(['config', 'coverage', 'profile', 'rule', 'ui']);
});
