/** Absolute paths of everything that builds use. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts);

export const target = inRoot('target');
export const addon = inRoot('target', 'addon', 'sotto.node');
/** where cargo puts it and where it runs from; it has a function on Linux only */
export const guardian = inRoot('target', 'release', 'sotto-guardian');
/** the part that runs as root and changes the system's DNS */
export const helper = inRoot('target', 'release', 'sotto-helper');
export const bundle = inRoot('target', 'program');
/** the page for the window and for browsers */
export const rendererOutput = inRoot('target', 'renderer');
/** the tray, as Electron loads it */
export const trayFolder = inRoot('target', 'tray');
const sources = inRoot('app');
const rendererSources = [
  inRoot('renderer'),
  inRoot('app', 'contract'),
  inRoot('build', 'vite.config.ts'),
  inRoot('build', 'droppable.ts'),
  inRoot('build', 'first-frame.ts'),
  inRoot('build', 'left-out.ts'),
  inRoot('build', 'precomputed.ts'),
  inRoot('package-lock.json'),
];
/** napi-derive writes one line per exported item here, into a file named after the crate, as it compiles */
export const addonTypeLines = inRoot('target', 'napi-types', 'sotto-binding');

/** The command line: bundled, unless a source has changed since. */
export function commandLine() {
  const bundled = join(bundle, 'cli.mjs');
  return changedAt(bundled) > newest(sources) ? bundled : join(sources, 'cli', 'main.ts');
}

/** Whether the page is newer than all its sources. */
export function rendererIsCurrent() {
  return changedAt(join(rendererOutput, 'index.html')) > Math.max(...rendererSources.map(newest));
}

/** Node's flags for a command that ends soon: a small young generation; with the last flag no signal opens a debugger's port. */
export const commandFlags = ['--max-semi-space-size=1', '--v8-pool-size=1', '--disable-sigusr1'];

/**
 * Node's flags for our programs that stay, and are idle most of the time: no optimizing compilers, whose code alone takes 8 MB; no
 * second copy of the built-in code; a way to give memory back at rest; and room enough that a start collects no garbage, which that
 * way brings back. docs/measurements/memory.md says what each saves. With any of these V8 refuses the code that Node brings along
 * compiled, which costs the start of every command 7 ms.
 */
export const nodeFlags = [
  ...commandFlags,
  '--no-opt',
  '--no-maglev',
  '--no-short-builtin-calls',
  '--expose-gc',
  '--initial-heap-size=32',
];

/** The commands that stay: the service, and the page's server. */
export const staying = ['run', 'ui'];

/** @param {string} path */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * @param {string} place a file, or a folder with everything below it
 * @returns {number}
 */
function newest(place) {
  if (!statSync(place).isDirectory()) return changedAt(place);
  const inside = readdirSync(place, { withFileTypes: true }).map((entry) => {
    const path = join(place, entry.name);
    return entry.isDirectory() ? newest(path) : changedAt(path);
  });
  return Math.max(0, ...inside);
}
