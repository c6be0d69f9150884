/**
 * Shipped binaries that others compiled: Node, the library of better-sqlite3 and Electron's archive. shipped-lock.json has the
 * digest of each, because a lockfile only says what was installed once, and the `node` package downloads its binary past the
 * lockfile.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { inRoot } from './places.mjs';

/** @typedef {'node' | 'better-sqlite3' | 'electron'} Part */
/** @typedef {Record<Part, { version: string, sha256: Record<string, string | undefined> }>} Lock */

export const lockFile = inRoot('build', 'shipped-lock.json');

/** The systems for which packages are made; on others, what npm installed is used without this check. */
export const platforms = ['linux-x64', 'linux-arm64'];

export const thisPlatform = `${process.platform}-${process.arch}`;

/** @returns {Lock} */
export const readLock = () => JSON.parse(readFileSync(lockFile, 'utf8'));

/**
 * null: the file is the one that is locked; else what is wrong, and what to do.
 * @param {Part} part
 * @param {string} file
 * @param {Lock} [lock]
 * @param {string} [platform]
 */
export function whyNotLocked(part, file, lock = readLock(), platform = thisPlatform) {
  const { version, sha256 } = lock[part];
  const expected = sha256[platform];
  if (expected === undefined)
    return `${part}: nothing is locked for ${platform} in ${lockFile}: npm run lock-shipped`;
  const found = digestOf(file);
  if (found === expected) return null;
  return [
    `${part}: ${file} is not what is locked.`,
    `  expected  sha256 ${expected}  (${version}, ${platform})`,
    `  found     sha256 ${found}`,
    '  Was another version installed on purpose? Then npm run lock-shipped, and read what it changed.',
    '  Otherwise somebody else changed it: rm -r node_modules, npm ci, and tell us where it came from.',
  ].join('\n');
}

/**
 * Reads in pieces, because Electron's archive has 120 MB.
 * @param {string} file
 */
export function digestOf(file) {
  const digest = createHash('sha256');
  const piece = Buffer.alloc(1 << 20);
  const descriptor = openSync(file, 'r');
  try {
    for (let read = 1; read > 0; ) {
      read = readSync(descriptor, piece);
      digest.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
  return digest.digest('hex');
}
