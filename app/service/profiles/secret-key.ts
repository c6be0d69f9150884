/**
 * Secret keys as minisign keeps them: Ed25519, encrypted with a password by scrypt, or in the clear. Made and used by the
 * command line only; the service never sees one.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  scryptSync,
  sign,
} from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { overallPart, type PublicKey, type Signature, sayKeyId, signedPart } from './minisign.ts';

const algorithm = Buffer.from('Ed');
const derivedByScrypt = Buffer.from('Sc');
const notEncrypted = Buffer.from([0, 0]);
const checksumByBlake2b = Buffer.from('B2');
const saltLength = 32;
const lengths = { id: 8, secret: 64, checksum: 32 };
const sealedLength = lengths.id + lengths.secret + lengths.checksum;
const headLength = 6 + saltLength + 16;

interface Limits {
  operations: bigint;
  /** octets */
  memory: bigint;
}

/** libsodium's "sensitive" limits, with which minisign encrypts: a gigabyte, for about a second. */
const sensitive: Limits = { operations: 33_554_432n, memory: 1_073_741_824n };
/** A key file from a stranger may not ask for more. */
const most: Limits = { operations: 2n * sensitive.operations, memory: 2n * sensitive.memory };

export interface SecretKey {
  id: Buffer;
  /** the seed, then the public key */
  octets: Buffer;
}

export function makeSecretKey(): SecretKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const own = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { id: randomBytes(lengths.id), octets: Buffer.concat([seed, own]) };
}

export function publicKeyOf({ id, octets }: SecretKey): PublicKey {
  return { id, octets: octets.subarray(32) };
}

/**
 * `password` null: in the clear, as minisign does it without a checksum. Only tests have other limits, which say what a guess at
 * the password costs.
 */
export function writeSecretKey(
  key: SecretKey,
  password: string | null,
  { operations, memory } = sensitive,
): string {
  const salt = password === null ? Buffer.alloc(saltLength) : randomBytes(saltLength);
  const limits = Buffer.alloc(16);
  limits.writeBigUInt64LE(password === null ? 0n : operations, 0);
  limits.writeBigUInt64LE(password === null ? 0n : memory, 8);
  const plain = Buffer.concat([key.id, key.octets]);
  const sealed =
    password === null
      ? Buffer.concat([plain, Buffer.alloc(lengths.checksum)])
      : exclusiveOr(
          Buffer.concat([plain, checksumOf(key)]),
          derive(password, salt, operations, memory),
        );
  const kind = password === null ? notEncrypted : derivedByScrypt;
  const line = Buffer.concat([algorithm, kind, checksumByBlake2b, salt, limits, sealed]);
  const comment = password === null ? 'minisign secret key' : 'minisign encrypted secret key';
  return `untrusted comment: ${comment} ${sayKeyId(key.id)}\n${line.toString('base64')}\n`;
}

export type SecretKeyFailure = 'not-a-key' | 'too-costly' | 'password-needed' | 'password-wrong';

/** `password`: called only where the key is encrypted. */
export function readSecretKey(
  text: string,
  password: () => string | null,
): { key: SecretKey } | { failure: SecretKeyFailure } {
  const sealed = readSealed(text);
  if (sealed === null) return { failure: 'not-a-key' };
  if (!sealed.isEncrypted) {
    const key = keyIn(sealed.octets);
    return isConsistent(key) ? { key } : { failure: 'not-a-key' };
  }
  if (sealed.room > most.memory || sealed.cost > most.operations) return { failure: 'too-costly' };
  const given = password();
  return given === null ? { failure: 'password-needed' } : open(sealed, given);
}

interface Sealed {
  isEncrypted: boolean;
  salt: Buffer;
  /** operations and octets of memory that scrypt may take */
  cost: bigint;
  room: bigint;
  octets: Buffer;
}

/** Null where the text is no secret key. */
function readSealed(text: string): Sealed | null {
  const line = text.trim().split(/\r?\n/)[1] ?? '';
  const octets = Buffer.from(line.trim(), 'base64');
  if (octets.toString('base64') !== line.trim()) return null;
  if (octets.length !== headLength + sealedLength) return null;
  const [own, derived, checksum] = [0, 2, 4].map((at) => octets.subarray(at, at + 2));
  const isEncrypted = derivedByScrypt.equals(derived ?? notEncrypted);
  const isKnown = isEncrypted || notEncrypted.equals(derived ?? algorithm);
  if (!isKnown || !own?.equals(algorithm) || !checksum?.equals(checksumByBlake2b)) return null;
  return {
    isEncrypted,
    salt: octets.subarray(6, 6 + saltLength),
    cost: octets.readBigUInt64LE(6 + saltLength),
    room: octets.readBigUInt64LE(6 + saltLength + 8),
    octets: octets.subarray(headLength),
  };
}

function open(
  { salt, cost, room, octets }: Sealed,
  password: string,
): { key: SecretKey } | { failure: SecretKeyFailure } {
  const opened = exclusiveOr(octets, derive(password, salt, cost, room));
  const key = keyIn(opened);
  const isRight = opened.subarray(-lengths.checksum).equals(checksumOf(key));
  return isRight ? { key } : { failure: 'password-wrong' };
}

function keyIn(octets: Buffer): SecretKey {
  const end = lengths.id + lengths.secret;
  return { id: octets.subarray(0, lengths.id), octets: octets.subarray(lengths.id, end) };
}

export function signOctets(octets: Buffer, key: SecretKey, comment: string): Signature {
  const ed25519 = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, key.octets.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  });
  const isHashed = true;
  const signature = sign(null, signedPart(octets, { isHashed }), ed25519);
  const overall = sign(null, overallPart({ octets: signature, comment }), ed25519);
  return { keyId: key.id, isHashed, octets: signature, comment, overall };
}

/** A key in the clear has no checksum, but its two halves belong together. */
function isConsistent({ octets }: SecretKey): boolean {
  const key = Buffer.concat([pkcs8Prefix, octets.subarray(0, 32)]);
  const own = createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
  return own.export({ format: 'der', type: 'spki' }).subarray(-32).equals(octets.subarray(32));
}

/** PrivateKeyInfo of an Ed25519 key (RFC 8410, section 7), up to the seed itself. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

function checksumOf({ id, octets }: SecretKey): Buffer {
  return Buffer.from(blake2b(Buffer.concat([algorithm, id, octets]), { dkLen: lengths.checksum }));
}

/** The parameters that libsodium's crypto_pwhash_scryptsalsa208sha256 chooses for these limits: r is 8. */
function derive(password: string, salt: Buffer, cost: bigint, room: bigint): Buffer {
  const r = 8n;
  const least = cost < 32_768n ? 32_768n : cost;
  const byCost = least < room / 32n;
  const most = byCost ? least / (r * 4n) : room / (r * 128n);
  let log = 1;
  while (log < 63 && 1n << BigInt(log) <= most / 2n) log += 1;
  const N = 2 ** log;
  const p = byCost ? 1 : Number(least / 4n / BigInt(N) / r) || 1;
  return scryptSync(password, salt, sealedLength, { N, r: 8, p, maxmem: 128 * 8 * (N + p) * 2 });
}

function exclusiveOr(octets: Buffer, stream: Buffer): Buffer {
  return Buffer.from(octets.map((octet, at) => octet ^ (stream[at] ?? 0)));
}
