import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagedNode } from './packaged-node.mjs';
import { inRoot } from './places.mjs';
import { platforms, readLock, whyNotLocked } from './shipped-lock.mjs';

const lock = readLock();

test('the locked versions are those of the lockfile, for every system for which packages are made', () => {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  for (const [name, { version, sha256 }] of Object.entries(lock)) {
    expect([name, version]).toEqual([name, packages[`node_modules/${name}`]?.version]);
    expect([name, Object.keys(sha256)]).toEqual([name, platforms]);
    for (const digest of Object.values(sha256)) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  }
});

test('Electron is locked as its own package says', () => {
  const sums = JSON.parse(
    readFileSync(inRoot('node_modules', 'electron', 'checksums.json'), 'utf8'),
  ) as Record<string, string>;
  for (const platform of platforms)
    expect(lock.electron.sha256[platform]).toBe(
      sums[`electron-v${lock.electron.version}-${platform}.zip`],
    );
});

test('the installed files are those that are locked', (context) => {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) context.skip(`no packages are made for ${platform}`);
  const node = packagedNode() ?? '';
  const library = inRoot('node_modules', 'better-sqlite3', 'prebuilds', `${platform}.node`);
  expect([whyNotLocked('node', node), existsSync(library)]).toEqual([null, true]);
  expect(whyNotLocked('better-sqlite3', library)).toBeNull();
});

test('one octet more is found, and the error says what was expected, what was found and what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-lock-'));
  const file = join(folder, 'node');
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const ours = { ...lock, node: { version: '1.2.3', sha256: { 'linux-x64': sha256('node') } } };
  try {
    writeFileSync(file, 'node');
    expect(whyNotLocked('node', file, ours, 'linux-x64')).toBeNull();
    writeFileSync(file, 'node!');
    const why = whyNotLocked('node', file, ours, 'linux-x64');
    for (const part of [file, sha256('node'), sha256('node!'), '1.2.3', 'npm run lock-shipped'])
      expect(why).toContain(part);
    expect(whyNotLocked('node', file, ours, 'linux-riscv64')).toContain('nothing is locked');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
