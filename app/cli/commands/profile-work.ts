/** Makes keys, signs profiles and checks their signatures, where no service is needed. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { sayFingerprint } from '../../contract/settings/fingerprint.ts';
import { policyJsonSchema, profileJsonSchema } from '../../contract/settings/profile.ts';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import {
  fingerprintOf,
  judgeSignature,
  type PublicKey,
  readPublicKey,
  readSignature,
  sayKeyId,
  writePublicKey,
  writeSignature,
} from '../../service/profiles/minisign.ts';
import {
  makeSecretKey,
  publicKeyOf,
  readSecretKey,
  type SecretKey,
  type SecretKeyFailure,
  signOctets,
  writeSecretKey,
} from '../../service/profiles/secret-key.ts';
// biome-ignore-end lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { badUsage } from '../failure.ts';
import { askPasswords } from '../terminal/ask-password.ts';
import { print } from '../terminal/print.ts';
import { readOctets, readText, writeNew, writeOver } from './profile-files.ts';
import { sayProfile, tellLinted } from './profile-review.ts';

export interface KeyOptions extends CommonOptions {
  /** false: --no-password */
  password?: boolean;
  passwordFile?: string;
}

export interface SignOptions extends CommonOptions {
  key?: string;
  passwordFile?: string;
}

export interface VerifyOptions extends CommonOptions {
  key?: string;
}

export async function keygen(line: CommandLine, name: string, options: KeyOptions): Promise<void> {
  const [secretFile, publicFile] = [`${name}.key`, `${name}.pub`];
  for (const file of [secretFile, publicFile])
    if (existsSync(file))
      throw badUsage(
        `${file} is there already`,
        'a key that signs profiles is not written over: choose another name, or move it away',
      );
  const password = options.password === false ? null : await newPassword(options.passwordFile);
  const key = makeSecretKey();
  writeNew(secretFile, writeSecretKey(key, password), 0o600);
  writeNew(publicFile, writePublicKey(publicKeyOf(key)), 0o644);
  const fingerprint = fingerprintOf(publicKeyOf(key));
  print(line.terminal, options, { secretFile, publicFile, fingerprint }, () => [
    `${safe(secretFile)} is the secret key: keep it away from the machines that it decides about.`,
    `${safe(publicFile)} is the public key, with the fingerprint`,
    `  ${sayFingerprint(fingerprint)}`,
  ]);
}

export async function sign(line: CommandLine, file: string, options: SignOptions): Promise<void> {
  if (options.key === undefined) throw badUsage('--key is missing', 'name the secret key');
  const octets = readOctets(file);
  const profile = tellLinted(line, file, octets);
  if (profile === null)
    throw badUsage(`${file} has an error`, 'correct it: what is signed reaches every machine');
  const key = await secretKey(options.key, options.passwordFile);
  const { id, serial } = profile;
  const comment = `profile:${id} serial:${serial} file:${basename(file)}`;
  const signature = `${file}.minisig`;
  writeOver(signature, writeSignature(signOctets(octets, key, comment)));
  const fingerprint = fingerprintOf(publicKeyOf(key));
  print(line.terminal, options, { signature, fingerprint, id, serial }, () => [
    `${safe(signature)} signs ${sayProfile(profile)}, with the key`,
    `  ${sayFingerprint(fingerprint)}`,
  ]);
}

export function verify(line: CommandLine, file: string, options: VerifyOptions): void {
  if (options.key === undefined) throw badUsage('--key is missing', 'name the public key');
  const key = publicKey(options.key);
  const octets = readOctets(file);
  const signatureFile = `${file}.minisig`;
  const signature = readSignature(readText(signatureFile));
  if (signature === null)
    throw badUsage(`${signatureFile} is no signature`, 'make it with: sotto profile sign');
  const verdict = judgeSignature(octets, signature, key);
  const fingerprint = fingerprintOf(key);
  if (verdict !== 'valid') line.exitCode = exitCodes.failed;
  const said = {
    valid: `The signature is valid: ${safe(signature.comment)}`,
    'other-key': `Another key signed this, ${sayKeyId(signature.keyId)}; this one is ${sayKeyId(key.id)}. Do not use it.`,
    changed: 'The file is not what was signed. Do not use it.',
    'comment-changed': 'The comment of the signature was changed. Do not use it.',
  }[verdict];
  print(
    line.terminal,
    options,
    { ok: verdict === 'valid', verdict, comment: signature.comment, fingerprint },
    () => [said, `The key that was given: ${sayFingerprint(fingerprint)}`],
  );
}

export function schema(line: CommandLine, kind: string): void {
  const made = kind === 'policy' ? policyJsonSchema() : profileJsonSchema();
  line.terminal.out(JSON.stringify(made, null, 2));
}

function publicKey(given: string): PublicKey {
  const key = readPublicKey(existsSync(given) ? readText(given) : given);
  if (key === null)
    throw badUsage(`"${given}" is no public key`, 'give the file NAME.pub, or the line in it');
  return key;
}

async function secretKey(file: string, passwordFile: string | undefined): Promise<SecretKey> {
  const text = readText(file);
  const first = readSecretKey(text, () => null);
  if ('key' in first) return first.key;
  if (first.failure !== 'password-needed') throw wrongKey(file, first.failure);
  const password =
    passwordFile === undefined
      ? (await askPasswords([`Password of ${file}: `]))[0]
      : firstLine(passwordFile);
  const opened = readSecretKey(text, () => password ?? null);
  if ('key' in opened) return opened.key;
  throw wrongKey(file, opened.failure);
}

function wrongKey(file: string, failure: SecretKeyFailure) {
  switch (failure) {
    case 'password-wrong':
      return badUsage(`the password does not open ${file}`, 'try again');
    case 'too-costly':
      return badUsage(`${file} asks for more memory than any key needs`, 'distrust that file');
    default:
      return badUsage(`${file} is no secret key`, 'make one with: sotto profile keygen');
  }
}

async function newPassword(file: string | undefined): Promise<string> {
  const password = file === undefined ? await twice() : firstLine(file);
  if (password === '')
    throw badUsage('the password is empty', 'choose one, or say --no-password if you mean none');
  return password;
}

async function twice(): Promise<string> {
  const [password = '', again] = await askPasswords([
    'Password for the secret key: ',
    'The same again: ',
  ]);
  if (again !== password) throw badUsage('the two passwords differ', 'try again');
  return password;
}

function firstLine(file: string): string {
  return readText(file).split(/\r?\n/)[0] ?? '';
}
