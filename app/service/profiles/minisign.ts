/**
 * Public keys and detached signatures as minisign writes them (https://jedisct1.github.io/minisign/, "Signature format"):
 * Ed25519 over the BLAKE2b-512 of a file's octets, or over the octets themselves in the older form. Pure.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** "Ed": over the octets, or a key. "ED": over their BLAKE2b-512. */
const plain = 'Ed';
const hashed = 'ED';
const idLength = 8;
const keyLength = 32;
const signatureLength = 64;
/** Lines are short; a longer file is none. */
const longestFile = 4096;
const untrusted = 'untrusted comment: ';
const trusted = 'trusted comment: ';

export interface PublicKey {
  /** 8 octets that tell keys apart, and prove nothing */
  id: Buffer;
  octets: Buffer;
}

export interface Signature {
  keyId: Buffer;
  isHashed: boolean;
  octets: Buffer;
  /** signed as well */
  comment: string;
  /** over the signature and the comment */
  overall: Buffer;
}

/** The file, or its second line alone; null where it is neither. */
export function readPublicKey(text: string): PublicKey | null {
  const lines = linesOf(text);
  const line = lines?.length === 2 && lines[0]?.startsWith(untrusted) ? lines[1] : lines?.[0];
  if (lines === null || lines.length > 2 || line === undefined) return null;
  const octets = decode(line, 2 + idLength + keyLength);
  if (octets === null || octets.toString('latin1', 0, 2) !== plain) return null;
  return { id: octets.subarray(2, 2 + idLength), octets: octets.subarray(2 + idLength) };
}

export function writePublicKey(key: PublicKey): string {
  const line = Buffer.concat([Buffer.from(plain), key.id, key.octets]).toString('base64');
  return `${untrusted}minisign public key ${sayKeyId(key.id)}\n${line}\n`;
}

/** As minisign writes it: the octets as a number, which begins with the last. */
export function sayKeyId(id: Buffer): string {
  return Buffer.from(id).reverse().toString('hex').toUpperCase();
}

/** SHA-256 of the key, which people compare: the id of a key can be forged. */
export function fingerprintOf({ octets }: PublicKey): string {
  return createHash('sha256').update(octets).digest('hex');
}

/** Null where the text is no signature. */
export function readSignature(text: string): Signature | null {
  const [first, line = '', second, last = '', ...more] = linesOf(text) ?? [];
  if (more.length > 0 || !first?.startsWith(untrusted) || !second?.startsWith(trusted)) return null;
  const octets = decode(line, 2 + idLength + signatureLength);
  const overall = decode(last, signatureLength);
  const kind = octets?.toString('latin1', 0, 2);
  if (octets === null || overall === null || (kind !== plain && kind !== hashed)) return null;
  return {
    keyId: octets.subarray(2, 2 + idLength),
    isHashed: kind === hashed,
    octets: octets.subarray(2 + idLength),
    comment: second.slice(trusted.length),
    overall,
  };
}

export function writeSignature({ keyId, isHashed, octets, comment, overall }: Signature): string {
  const kind = Buffer.from(isHashed ? hashed : plain);
  const line = Buffer.concat([kind, keyId, octets]).toString('base64');
  return `${untrusted}signature from sotto\n${line}\n${trusted}${comment}\n${overall.toString('base64')}\n`;
}

export type Verdict = 'valid' | 'other-key' | 'changed' | 'comment-changed';

/** `octets`: the file, exactly. */
export function judgeSignature(octets: Buffer, signature: Signature, key: PublicKey): Verdict {
  if (!signature.keyId.equals(key.id)) return 'other-key';
  const ed25519 = keyObject(key);
  if (!verify(null, signedPart(octets, signature), ed25519, signature.octets)) return 'changed';
  const overall = overallPart(signature);
  return verify(null, overall, ed25519, signature.overall) ? 'valid' : 'comment-changed';
}

export function signedPart(octets: Buffer, { isHashed }: Pick<Signature, 'isHashed'>): Buffer {
  return isHashed ? createHash('blake2b512').update(octets).digest() : octets;
}

export function overallPart({ octets, comment }: Pick<Signature, 'octets' | 'comment'>): Buffer {
  return Buffer.concat([octets, Buffer.from(comment, 'utf8')]);
}

/** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410, section 4), up to the key itself. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function keyObject({ octets }: PublicKey): KeyObject {
  const key = Buffer.concat([spkiPrefix, octets]);
  return createPublicKey({ key, format: 'der', type: 'spki' });
}

/** Null where it is too long. */
function linesOf(text: string): string[] | null {
  if (text.length > longestFile) return null;
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** Strict base64 of exactly so many octets: what decodes to the same in two ways is refused. */
function decode(line: string, length: number): Buffer | null {
  const octets = Buffer.from(line, 'base64');
  return octets.length === length && octets.toString('base64') === line ? octets : null;
}
