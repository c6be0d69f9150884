/** Profiles made to confuse, on the command line: each is told in visible text, and none is taken for what was signed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
// biome-ignore-start lint/style/noRestrictedImports: signs what "sotto profile sign" refuses to sign.
import { writePublicKey, writeSignature } from '../../service/profiles/minisign.ts';
import { makeSecretKey, publicKeyOf, signOctets } from '../../service/profiles/secret-key.ts';
// biome-ignore-end lint/style/noRestrictedImports: signs what "sotto profile sign" refuses to sign.
import { runCommand } from '../fixtures/fake-service.ts';

const corpus = join(import.meta.dirname, '..', '..', '..', 'build', 'fuzz', 'corpus', 'profile');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const visible = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u;

test.each([
  'bidi.json',
  'cyrillic.json',
  'nul.json',
  'overlong.json',
  'twice-escaped.json',
  'truncated.json',
])('%s', async (name) => {
  const octets = readFileSync(join(corpus, name));
  const file = join(folder, name);
  const key = makeSecretKey();
  writeFileSync(file, octets);
  writeFileSync(`${file}.minisig`, writeSignature(signOctets(octets, key, `file:${name}`)));
  writeFileSync(join(folder, 'corp.pub'), writePublicKey(publicKeyOf(key)));
  const run = (...words: string[]) => runCommand(folder, 'profile', ...words);

  const lint = await run('lint', file);
  expect(lint.code).toBe(2);
  for (const line of `${lint.out}${lint.errors}`.split('\n')) expect(line).toMatch(visible);
  expect((await run('verify', file, '--key', join(folder, 'corp.pub'))).code).toBe(0);
  writeFileSync(file, Buffer.concat([octets, Buffer.from(' ')]));
  const changed = await run('verify', file, '--key', join(folder, 'corp.pub'));
  expect([changed.code, changed.out]).toEqual([1, expect.stringContaining('Do not use it')]);
});
