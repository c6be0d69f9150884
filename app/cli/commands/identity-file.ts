/**
 * A client identity as an administrator has it: a PKCS#12 file, or a private key and certificates as PEM. It is opened here and
 * not in the service, so that no password leaves this command, and a file that keeps its reader busy keeps only this one busy.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import forge from 'node-forge';
// biome-ignore-start lint/style/noRestrictedImports: errors of files are told in the same words.
import { readBounded } from '../../service/base/bounded-file.ts';
// biome-ignore-end lint/style/noRestrictedImports: errors of files are told in the same words.
import { badUsage, type CommandFailed } from '../failure.ts';

/** Both as PEM; the key is not encrypted any more. */
export interface KeyAndCertificates {
  key: string;
  certificates: string;
}

/** Gives the password of a file, for which a person may have to be asked. */
export type PasswordOf = (file: string) => Promise<string>;

/** A key with a long chain has some ten thousand octets. */
const mostOctets = 1_000_000;

/** `keyFile`: where the key is, if not in `file`. */
export async function readIdentityFile(
  file: string,
  keyFile: string | undefined,
  passwordOf: PasswordOf,
): Promise<KeyAndCertificates> {
  const octets = readWhole(file);
  const text = octets.toString('latin1');
  if (!text.includes('-----BEGIN ')) {
    if (keyFile !== undefined)
      throw badUsage(
        `${file} is no PEM file, and --key belongs to one`,
        'leave --key out: a PKCS#12 file has its key with it',
      );
    return openPkcs12(file, text, passwordOf);
  }
  const from = keyFile ?? file;
  const keyText = keyFile === undefined ? text : readWhole(keyFile).toString('latin1');
  return { key: await openPemKey(from, keyText, passwordOf), certificates: certificatesIn(text) };
}

const certificateBlocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const keyBlocks = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]+?-----END \1PRIVATE KEY-----/g;

function certificatesIn(text: string): string {
  return (text.match(certificateBlocks) ?? []).join('\n');
}

async function openPemKey(file: string, text: string, passwordOf: PasswordOf): Promise<string> {
  const [block = '', ...others] = text.match(keyBlocks) ?? [];
  if (block === '')
    throw badUsage(
      `${file} has no private key`,
      'name its file with --key, or give a PKCS#12 file that has both',
    );
  checkOne(file, 1 + others.length);
  const isEncrypted = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(block);
  const passphrase = isEncrypted ? await passwordOf(file) : undefined;
  try {
    return asPem(
      createPrivateKey({ key: block, ...(passphrase === undefined ? {} : { passphrase }) }),
    );
  } catch {
    throw isEncrypted ? wrongPassword(file) : unreadable(file, 'its private key can not be read');
  }
}

async function openPkcs12(
  file: string,
  octets: string,
  passwordOf: PasswordOf,
): Promise<KeyAndCertificates> {
  const outer = readAsn1(file, octets);
  const bags = open(file, outer, await passwordOf(file));
  const { keyBag = '', pkcs8ShroudedKeyBag = '', certBag } = forge.pki.oids;
  const keys = bags.filter(({ type }) => type === keyBag || type === pkcs8ShroudedKeyBag);
  if (keys.length === 0)
    throw badUsage(
      `${file} has no private key`,
      'export it again together with its key: openssl pkcs12 -export -inkey KEY -in CERTIFICATE -out FILE',
    );
  checkOne(file, keys.length);
  return {
    key: asPem(keyIn(file, keys[0])),
    certificates: bags
      .filter(({ type }) => type === certBag)
      .map((bag) => pemOf(bag.cert ? forge.pki.certificateToAsn1(bag.cert) : bag.asn1))
      .join('\n'),
  };
}

/** node-forge reads RSA keys; of every other kind it hands out the PrivateKeyInfo as it is, which node:crypto reads. */
function keyIn(file: string, bag: forge.pkcs12.Bag | undefined): KeyObject {
  try {
    if (bag?.key) return createPrivateKey(forge.pki.privateKeyToPem(bag.key));
    const der = Buffer.from(forge.asn1.toDer(bag?.asn1 as forge.asn1.Asn1).getBytes(), 'latin1');
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch {
    throw unreadable(file, 'its private key is of a kind that can not be read here');
  }
}

function readAsn1(file: string, octets: string): forge.asn1.Asn1 {
  try {
    return forge.asn1.fromDer(octets);
  } catch {
    throw badUsage(
      `${file} is neither PEM text nor a PKCS#12 file, or it was cut off`,
      'give the file as the one who made it has it',
    );
  }
}

function open(file: string, outer: forge.asn1.Asn1, password: string): forge.pkcs12.Bag[] {
  try {
    const { safeContents } = forge.pkcs12.pkcs12FromAsn1(outer, false, password);
    return safeContents.flatMap(({ safeBags }) => safeBags);
  } catch (error) {
    const words = error instanceof Error ? error.message : '';
    // It has no codes for its errors. A wrong password is noticed by the MAC, or, where there is none, by what is decrypted.
    throw /Invalid password|MAC could not be verified/.test(words)
      ? wrongPassword(file)
      : unreadable(file, 'it is encrypted or sealed in a way that can not be read here');
  }
}

function unreadable(file: string, why: string): CommandFailed {
  return badUsage(
    `${file} can't be used: ${why}`,
    'let OpenSSL write it as PEM, and give that file: openssl pkcs12 -in FILE -out FILE.pem',
  );
}

function wrongPassword(file: string): CommandFailed {
  return badUsage(`the password does not open ${file}`, 'try again');
}

function checkOne(file: string, keys: number): void {
  if (keys > 1)
    throw badUsage(
      `${file} has ${keys} private keys, and an identity has one`,
      'give a file with one key and its certificates',
    );
}

function asPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function pemOf(certificate: forge.asn1.Asn1): string {
  const base64 = Buffer.from(forge.asn1.toDer(certificate).getBytes(), 'latin1').toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----`;
}

function readWhole(file: string): Buffer {
  const read = readBounded(file, mostOctets);
  if ('octets' in read) return read.octets;
  throw badUsage(
    `can't read ${file}: ${read.reason}`,
    'give the file of one identity: a key and its certificates',
  );
}
