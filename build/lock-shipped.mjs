#!/usr/bin/env node
/**
 * `npm run lock-shipped`: writes build/shipped-lock.json anew for the versions that package-lock.json names, from the registry and not
 * from what is installed. Runs on any Node, because `npm start` refuses a Node that is not locked.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from './places.mjs';
import { digestOf, lockFile, platforms, readLock } from './shipped-lock.mjs';

/** @type {{ packages: Record<string, { version: string, integrity: string } | undefined> }} */
const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
const place = mkdtempSync(join(tmpdir(), 'sotto-lock-'));
try {
  const before = readLock();
  const lock = {
    node: ofEach('node', (platform, version) =>
      // its binary is in a package for each platform, which no lockfile names
      digestOf(fileOf(unpack(`node-${platform}@${version}`), 'bin', 'node')),
    ),
    'better-sqlite3': ofEach('better-sqlite3', (platform, _, folder) =>
      digestOf(fileOf(folder, 'prebuilds', `${platform}.node`)),
    ),
    electron: ofEach('electron', (platform, version, folder) => {
      const sums = JSON.parse(readFileSync(fileOf(folder, 'checksums.json'), 'utf8'));
      return sums[`electron-v${version}-${platform}.zip`];
    }),
  };
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  const changed = JSON.stringify(before) !== JSON.stringify(lock);
  console.log(
    changed ? `${lockFile} changed: read it (git diff), then commit it.` : 'Nothing changed.',
  );
} catch (error) {
  console.error(`Nothing was locked: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(place, { recursive: true });
}

/**
 * @param {'node' | 'better-sqlite3' | 'electron'} name
 * @param {(platform: string, version: string, folder: string) => string | undefined} digest
 */
function ofEach(name, digest) {
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json names no ${name}`);
  const folder = unpack(`${name}@${locked.version}`, locked.integrity);
  const found = platforms.map((platform) => {
    const sha256 = digest(platform, locked.version, folder);
    if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256))
      throw new Error(`${name} ${locked.version} has nothing for ${platform}`);
    console.log(`${name} ${locked.version} ${platform} ${sha256}`);
    return [platform, sha256];
  });
  return { version: locked.version, sha256: Object.fromEntries(found) };
}

/**
 * npm checks the archive against the registry's digest; this checks it against the lockfile's.
 * @param {string} what name@version
 * @param {string} [integrity]
 */
function unpack(what, integrity) {
  const packed = output('npm', [
    'pack',
    what,
    '--json',
    '--pack-destination',
    place,
    '--loglevel=error',
  ]);
  const [{ filename, integrity: found }] = JSON.parse(packed);
  if (integrity !== undefined && integrity !== found)
    throw new Error(`${what} is ${found}, and package-lock.json says ${integrity}`);
  const folder = mkdtempSync(join(place, 'unpacked-'));
  output('tar', ['-xzf', join(place, filename), '-C', folder]);
  return folder;
}

/** @param {string} folder @param {string[]} path */
const fileOf = (folder, ...path) => join(folder, 'package', ...path);

/** @param {string} program @param {string[]} words */
function output(program, words) {
  const ended = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${program} ${words.join(' ')}: ${ended.error?.message ?? ended.stderr.trim()}`);
}
