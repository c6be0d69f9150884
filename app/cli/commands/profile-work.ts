/** Makes and checks profiles and their signatures, where no service is needed. */
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { sayFingerprint } from '../../contract/settings/fingerprint.ts';
import { policyJsonSchema, profileJsonSchema } from '../../contract/settings/profile.ts';
import { safe, safeJson } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: what these commands accept, a service accepts; none has to run.
import { sayErrno } from '../../service/base/errno-words.ts';
import { type LintedProfile, lintProfile } from '../../service/profiles/lint.ts';
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
import { type ChangedEntry, diffProfiles } from '../../service/profiles/profile-diff.ts';
import { mostProfileOctets, type Profile } from '../../service/profiles/profile-file.ts';
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

export function lint(line: CommandLine, file: string, options: CommonOptions): void {
  const found = lintProfile(file, readOctets(file));
  const { problems, loosening } = found;
  if (problems.length > 0) line.exitCode = exitCodes.usage;
  if (options.json) {
    line.terminal.out(safeJson({ file, ok: problems.length === 0, problems, loosening }));
    return;
  }
  tellProblems(line, found);
  if (loosening.length > 0)
    line.terminal.out(`It loosens, compared with the defaults: ${loosening.map(safe).join(', ')}.`);
  if (found.profile !== null && problems.length === 0)
    line.terminal.out(`${safe(file)} is fine: ${sayProfile(found.profile)}.`);
}

export function diff(
  line: CommandLine,
  before: string,
  after: string,
  options: CommonOptions,
): void {
  const [old, next] = [wholeProfile(line, before), wholeProfile(line, after)];
  if (old === null || next === null) return;
  const changes = diffProfiles(old, next);
  const serials = { before: old.serial, after: next.serial };
  print(line.terminal, options, { serials, changes }, () => [
    ...(next.serial > old.serial
      ? []
      : [`The serial does not grow (${old.serial}, ${next.serial}): no machine would take it.`]),
    ...(changes.length === 0 ? ['Both say the same.'] : changes.map(sayChange)),
  ]);
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
  const linted = lintProfile(file, octets);
  if (linted.profile === null || linted.problems.length > 0) {
    tellProblems(line, linted);
    throw badUsage(`${file} has an error`, 'correct it: what is signed reaches every machine');
  }
  const key = await secretKey(options.key, options.passwordFile);
  const { id, serial } = linted.profile;
  const comment = `profile:${id} serial:${serial} file:${basename(file)}`;
  const signature = `${file}.minisig`;
  writeOver(signature, writeSignature(signOctets(octets, key, comment)));
  const fingerprint = fingerprintOf(publicKeyOf(key));
  print(line.terminal, options, { signature, fingerprint, id, serial }, () => [
    `${safe(signature)} signs ${sayProfile(linted.profile as Profile)}, with the key`,
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

/** Null: it has errors, which are told. */
function wholeProfile(line: CommandLine, file: string): Profile | null {
  const linted = lintProfile(file, readOctets(file));
  if (linted.profile !== null && linted.problems.length === 0) return linted.profile;
  tellProblems(line, linted);
  line.exitCode = exitCodes.usage;
  return null;
}

function tellProblems({ terminal }: CommandLine, { problems }: LintedProfile): void {
  for (const { file, line, path, reason } of problems) {
    const place = [file, line].filter((part) => part !== null).join(':');
    terminal.error(`${safe(place)}:${path === '' ? '' : ` ${safe(path)}:`} ${safe(reason)}`);
  }
}

function sayProfile({ id, serial, issuer, name }: Profile): string {
  return `"${safe(name)}" of ${safe(issuer)} (${safe(id)}, serial ${serial})`;
}

function sayChange({ key, network, before, after, loosens }: ChangedEntry): string {
  const say = (stated: ChangedEntry['before']) =>
    stated === null ? 'nothing' : safe(`${JSON.stringify(stated.value)}, ${stated.lock}`);
  return `${loosens ? '! ' : '  '}${safe(network === null ? key : `${key} on the network "${network}"`)}: ${say(before)} → ${say(after)}${loosens ? ' (takes protection away)' : ''}`;
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

function readText(file: string): string {
  return readOctets(file).toString('utf8');
}

function readOctets(file: string): Buffer {
  try {
    if (statSync(file).size > mostProfileOctets)
      throw badUsage(`${file} is larger than ${mostProfileOctets} octets`, 'no profile is');
    return readFileSync(file);
  } catch (error) {
    throw asUsage(error, file);
  }
}

function writeNew(file: string, text: string, mode: number): void {
  write(file, text, 'wx', mode);
}

function writeOver(file: string, text: string): void {
  write(file, text, 'w', 0o644);
}

function write(file: string, text: string, flags: string, mode: number): void {
  try {
    const descriptor = openSync(file, flags, mode);
    try {
      writeSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw asUsage(error, file);
  }
}

function asUsage(error: unknown, file: string): unknown {
  const isErrno = typeof (error as NodeJS.ErrnoException).code === 'string';
  return isErrno && error instanceof Error
    ? badUsage(`${file}: ${sayErrno(error)}`, 'check its name and who may read and write there')
    : error;
}
