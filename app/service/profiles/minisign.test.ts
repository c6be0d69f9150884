/** Keys and signatures; the minisign that others wrote judges them in e2e/system/minisign.test.ts. */
import { describe, expect, test } from 'vitest';
import { readFingerprint, sayFingerprint } from '../../contract/settings/fingerprint.ts';
import {
  fingerprintOf,
  judgeSignature,
  type PublicKey,
  readPublicKey,
  readSignature,
  type Signature,
  writePublicKey,
  writeSignature,
} from './minisign.ts';
import {
  makeSecretKey,
  publicKeyOf,
  readSecretKey,
  type SecretKey,
  signOctets,
  writeSecretKey,
} from './secret-key.ts';

/** That of the server lists of dnscrypt-proxy, which is published. */
const published = 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3';
const text = Buffer.from('{ "serial": 7 }\n');
const never = () => {
  throw new Error('no password is needed');
};

function signed(comment = 'serial:7'): { key: SecretKey; own: PublicKey; signature: Signature } {
  const key = makeSecretKey();
  return { key, own: publicKeyOf(key), signature: signOctets(text, key, comment) };
}

test('a public key is read from its file and from its line, and written as it was', () => {
  const key = readPublicKey(published);
  const file = `untrusted comment: minisign public key E7620F1842B4E81F\n${published}\n`;
  expect(readPublicKey(file)).toEqual(key);
  expect(readPublicKey(file.replaceAll('\n', '\r\n'))).toEqual(key);
  expect(key && writePublicKey(key)).toBe(file);
});

test.each([
  ['', 'nothing'],
  [published.slice(0, -4), 'too short'],
  [`${published}AAAA`, 'too long'],
  [published.replace('RWQ', 'SWQ'), 'another algorithm'],
  [`trusted comment: x\n${published}`, 'another first line'],
  [`untrusted comment: x\n${published}\n${published}`, 'two keys'],
  [`untrusted comment: ${'x'.repeat(5000)}\n${published}`, 'a long line'],
])('%j is no public key: %s', (line) => {
  expect(readPublicKey(line)).toBeNull();
});

test('a fingerprint is read as people write it', () => {
  const { own } = signed();
  const fingerprint = fingerprintOf(own);
  expect(sayFingerprint(fingerprint)).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/);
  expect(readFingerprint(sayFingerprint(fingerprint).toUpperCase())).toBe(fingerprint);
  expect(readFingerprint(fingerprint.replace(/../g, '$&:').slice(0, -1))).toBe(fingerprint);
  for (const wrong of ['', fingerprint.slice(1), `${fingerprint}0`, fingerprint.replace(/./, 'g')])
    expect(readFingerprint(wrong)).toBeNull();
});

describe('a signature', () => {
  test('is valid for its octets, its key and its comment alone', () => {
    const { own, signature } = signed();
    const again = readSignature(writeSignature(signature));
    expect(again).toEqual(signature);
    expect(judgeSignature(text, signature, own)).toBe('valid');
    expect(judgeSignature(Buffer.concat([text, Buffer.from(' ')]), signature, own)).toBe('changed');
    expect(judgeSignature(text, { ...signature, isHashed: false }, own)).toBe('changed');
    expect(judgeSignature(text, { ...signature, comment: 'serial:8' }, own)).toBe(
      'comment-changed',
    );
    expect(judgeSignature(text, signature, publicKeyOf(makeSecretKey()))).toBe('other-key');
    const forged = { ...publicKeyOf(makeSecretKey()), id: own.id };
    expect(judgeSignature(text, signature, forged)).toBe('changed');
  });

  test('with any octet changed is not valid, or none', () => {
    const { own, signature } = signed();
    const file = Buffer.from(writeSignature(signature));
    const first = file.indexOf('\n') + 1;
    for (let at = first; at < file.length - 1; at += 1) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const read = readSignature(changed.toString('latin1'));
      expect(read === null || judgeSignature(text, read, own) !== 'valid', `octet ${at}`).toBe(
        true,
      );
    }
  });

  test.each(['', 'x', `untrusted comment: x\n${published}\ntrusted comment: y\n${published}\n`])(
    'is none where it says %j',
    (line) => {
      expect(readSignature(line)).toBeNull();
    },
  );
});

test('a secret key in the clear is read without a password, and damaged it is none', () => {
  const key = makeSecretKey();
  const file = writeSecretKey(key, null);
  expect(readSecretKey(file, never)).toEqual({ key });
  const line = Buffer.from(file.split('\n')[1] ?? '', 'base64');
  line[70] = (line[70] ?? 0) ^ 1;
  const damaged = `untrusted comment: x\n${line.toString('base64')}\n`;
  expect(readSecretKey(damaged, never)).toEqual({ failure: 'not-a-key' });
  expect(readSecretKey('nonsense', never)).toEqual({ failure: 'not-a-key' });
});

test('a secret key with a password opens with that one alone', () => {
  const key = makeSecretKey();
  const file = writeSecretKey(key, 'correct horse', { operations: 32_768n, memory: 16_777_216n });
  expect(readSecretKey(file, () => 'correct horse')).toEqual({ key });
  expect(readSecretKey(file, () => 'correct horsf')).toEqual({ failure: 'password-wrong' });
  expect(readSecretKey(file, () => null)).toEqual({ failure: 'password-needed' });
});

test('a secret key that asks for more memory than minisign uses is not tried', () => {
  const line = Buffer.from(writeSecretKey(makeSecretKey(), null).split('\n')[1] ?? '', 'base64');
  line.write('Sc', 2);
  line.writeBigUInt64LE(1n << 40n, 46);
  const file = `untrusted comment: x\n${line.toString('base64')}\n`;
  expect(readSecretKey(file, never)).toEqual({ failure: 'too-costly' });
});
