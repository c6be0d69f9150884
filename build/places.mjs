/** Where things are, as absolute paths. */
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts);

export const target = inRoot('target');
export const addon = inRoot('target', 'addon', 'sotto.node');
/** cargo puts it where it runs from; only on Linux it does something */
export const guardian = inRoot('target', 'release', 'sotto-guardian');
/** root's part, which changes the system's DNS */
export const helper = inRoot('target', 'release', 'sotto-helper');
export const bundle = inRoot('target', 'program');
/** the page that the window and a browser show */
export const rendererOutput = inRoot('target', 'renderer');
/** the tray, as Electron takes it */
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

/** Whether the page was made after everything it is made of. */
export function rendererIsCurrent() {
  return changedAt(join(rendererOutput, 'index.html')) > Math.max(...rendererSources.map(newest));
}

/**
 * What Node is given before a program of ours, which waits most of the time: a small young generation; no optimizing compilers,
 * whose code alone takes 8 MB; its own built-in code once, not a second time nearby; and a way to give memory back at rest.
 * What each is worth: docs/measurements/memory.md. The last one: no signal opens a debugger's port.
 */
export const nodeFlags = [
  '--max-semi-space-size=1',
  '--v8-pool-size=1',
  '--no-opt',
  '--no-maglev',
  '--no-short-builtin-calls',
  '--expose-gc',
  '--disable-sigusr1',
];

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
