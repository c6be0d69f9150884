/** Where things are, as absolute paths. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @param {string[]} parts */
export const inRoot = (...parts) => join(root, ...parts);

export const target = inRoot('target');
export const addon = inRoot('target', 'addon', 'sotto.node');
export const commandLine = inRoot('app', 'cli', 'main.ts');
/** napi-derive writes one line per exported item here, into a file named after the crate, as it compiles */
export const addonTypeLines = inRoot('target', 'napi-types', 'sotto-binding');
