/** Our keys and signatures and those of minisign, each used by the other. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  judgeSignature,
  readPublicKey,
  readSignature,
  writePublicKey,
  writeSignature,
} from '../../app/service/profiles/minisign.ts';
import {
  makeSecretKey,
  publicKeyOf,
  readSecretKey,
  signOctets,
  writeSecretKey,
} from '../../app/service/profiles/secret-key.ts';
import { describeWith, locate } from '../rig/available.ts';

const text = Buffer.from('{ "serial": 7 }\n');
const never = () => {
  throw new Error('no password is needed');
};

describeWith(['minisign'], 'minisign', () => {
  const inFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'sotto-minisign-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = (name: string) => join(folder, name);
    writeFileSync(file('profile.json'), text);
    return file;
  };
  const minisign = (...words: string[]) =>
    execFileSync(locate('minisign'), words, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  test('accepts our keys and signatures', () => {
    const file = inFolder();
    const key = makeSecretKey();
    const own = publicKeyOf(key);
    const signature = signOctets(text, key, 'serial:7 file:profile.json');
    writeFileSync(file('key.pub'), writePublicKey(own));
    writeFileSync(file('profile.json.minisig'), writeSignature(signature));
    const words = ['-V', '-p', file('key.pub'), '-m', file('profile.json')];
    expect(minisign(...words)).toContain('Trusted comment: serial:7 file:profile.json');
    writeFileSync(file('profile.json'), `${text} `);
    expect(() => minisign(...words)).toThrow(/Signature verification failed/);
  });

  test('signs with a key that we made', () => {
    const file = inFolder();
    const key = makeSecretKey();
    writeFileSync(file('key'), writeSecretKey(key, null));
    minisign('-S', '-s', file('key'), '-m', file('profile.json'));
    const signature = readSignature(readFileSync(file('profile.json.minisig'), 'utf8'));
    expect(signature && judgeSignature(text, signature, publicKeyOf(key))).toBe('valid');
  });

  test.each([
    ['hashed', [], true],
    ['plain', ['-l'], false],
  ])('makes %s signatures that we accept, with its own key', (_kind, more, isHashed) => {
    const file = inFolder();
    minisign('-G', '-W', '-p', file('key.pub'), '-s', file('key'));
    minisign('-S', ...more, '-s', file('key'), '-m', file('profile.json'));
    const own = readPublicKey(readFileSync(file('key.pub'), 'utf8'));
    const signature = readSignature(readFileSync(file('profile.json.minisig'), 'utf8'));
    expect(signature?.isHashed).toBe(isHashed);
    expect(own && signature && judgeSignature(text, signature, own)).toBe('valid');
    const read = readSecretKey(readFileSync(file('key'), 'utf8'), never);
    expect('key' in read && publicKeyOf(read.key)).toEqual(own);
  });

  test('encrypts keys that we open with the password', () => {
    const file = inFolder();
    const made = spawnSync(locate('minisign'), ['-G', '-p', file('key.pub'), '-s', file('key')], {
      input: 'correct horse\ncorrect horse\n',
    });
    expect(made.status).toBe(0);
    const own = readPublicKey(readFileSync(file('key.pub'), 'utf8'));
    const read = readSecretKey(readFileSync(file('key'), 'utf8'), () => 'correct horse');
    expect('key' in read && publicKeyOf(read.key)).toEqual(own);
  });
});
