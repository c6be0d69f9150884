/**
 * The keys of pause codes. A help desk has one secret; from it each machine gets a key of its own, so that a key that was stolen
 * from a machine opens that machine alone.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { codeOf, type PauseRequest, readCode } from '../../contract/protection/pause-code.ts';

export interface MachineKey {
  /** 8 characters */
  machine: string;
  key: Buffer;
}

const secretWord = 'sotto-help-desk-secret-1';
const keyWord = 'sotto-pause-key-1';
const octets = 32;

export function makeSecret(): string {
  return `${secretWord} ${randomBytes(octets).toString('base64')}\n`;
}

/** By chance, as the id of a machine and as the nonce of a challenge. */
export function someCode(): string {
  return codeOf(randomBytes(5));
}

/** Null: the text is no secret of a help desk. */
export function keyFromSecret(text: string, machine: string): MachineKey | null {
  const [word, secret = '', ...more] = text.trim().split(/\s+/);
  const read = strictBase64(secret);
  if (word !== secretWord || read?.length !== octets || more.length > 0) return null;
  const key = Buffer.from(hkdfSync('sha256', read, '', `${keyWord} ${machine}`, octets));
  return { machine, key };
}

export function writeMachineKey({ machine, key }: MachineKey): string {
  return `${keyWord} ${machine} ${key.toString('base64')}\n`;
}

/** Null: the text is no key of a machine. */
export function readMachineKey(text: string): MachineKey | null {
  const [word, id = '', secret = '', ...more] = text.trim().split(/\s+/);
  const [machine, key] = [readCode(id), strictBase64(secret)];
  if (word !== keyWord || key?.length !== octets || more.length > 0) return null;
  return machine === null ? null : { machine, key };
}

/** What decodes to the same in two ways was mistyped in one of them. */
function strictBase64(text: string): Buffer | null {
  const read = Buffer.from(text, 'base64');
  return read.toString('base64') === text ? read : null;
}

/** Bound to the machine, to pausing, to the minutes and to the nonce. */
export function responseTo({ machine, nonce, minutes }: PauseRequest, { key }: MachineKey): string {
  const said = [keyWord, 'pause', machine, nonce, minutes].join('\n');
  return codeOf(createHmac('sha256', key).update(said).digest());
}

export function isResponse(code: string, request: PauseRequest, key: MachineKey): boolean {
  const right = responseTo(request, key);
  return code.length === right.length && timingSafeEqual(Buffer.from(code), Buffer.from(right));
}
