/**
 * Pausing where it needs a code from the help desk: the machine shows a challenge, a person reads it out, and the help desk's
 * response pauses Sotto for the minutes that stand in the challenge, once.
 */
import { z } from 'zod';
import { longestPauseMinutes } from '../bounds.ts';
import { method } from '../method.ts';
import { serviceStatus } from '../status/service-status.ts';

/** Crockford's base 32: no I, L, O and U, so that nothing is mistaken for a digit when it is read out. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export interface PauseRequest {
  /** 8 characters, which the machine's key belongs to */
  machine: string;
  /** 8 characters, by chance */
  nonce: string;
  minutes: number;
}

export const codeLength = 8;

/** In groups of four: machine, nonce, minutes, and a character that tells a slip. */
export function writeChallenge({ machine, nonce, minutes }: PauseRequest): string {
  const told = `${machine}${nonce}${inDigits(minutes, 3)}`;
  return inGroups(`${told}${checkOf(told)}`);
}

/** Null: it is not one, or was misread. */
export function readChallenge(text: string): PauseRequest | null {
  const read = readCode(text, 20);
  if (read === null || checkOf(read.slice(0, 19)) !== read[19]) return null;
  const minutes = [...read.slice(16, 19)].reduce((sum, one) => sum * 32 + alphabet.indexOf(one), 0);
  if (minutes < 1 || minutes > longestPauseMinutes) return null;
  return { machine: read.slice(0, 8), nonce: read.slice(8, 16), minutes };
}

/** As people type: either case, with hyphens and spaces, with O for 0 and I or L for 1. Null: it has other characters or another length. */
export function readCode(text: string, length = codeLength): string | null {
  const read = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  const isOne = read.length === length && [...read].every((one) => alphabet.includes(one));
  return isOne ? read : null;
}

/** Five octets are eight characters. */
export function codeOf(octets: Uint8Array): string {
  const number = octets.slice(0, 5).reduce((sum, octet) => sum * 256 + octet, 0);
  return inDigits(number, codeLength);
}

export function inGroups(code: string): string {
  return code.match(/.{1,4}/g)?.join('-') ?? '';
}

function inDigits(number: number, count: number): string {
  return Array.from({ length: count }, (_, index) =>
    alphabet.charAt(Math.floor(number / 32 ** (count - 1 - index)) % 32),
  ).join('');
}

/** Every place has a weight of its own, so that two characters that change places are noticed as well as one that was misread. */
function checkOf(told: string): string {
  const sum = [...told].reduce((so, one, index) => so + (index + 1) * alphabet.indexOf(one), 0);
  return alphabet.charAt(sum % 31);
}

const challenge = z.strictObject({
  /** to be read out to the help desk */
  challenge: z.string(),
  minutes: z.int(),
  /** Unix milliseconds; from then on another one has to be asked for */
  expiresAt: z.number(),
});
export type PauseChallenge = z.infer<typeof challenge>;

export const pauseCodeMethods = {
  /** What to tell the help desk, so that it lets this machine pause for so long. */
  'pause.challenge': method('control', {
    params: z.strictObject({ minutes: z.int().min(1).max(longestPauseMinutes) }),
    result: challenge,
  }),
  /** Pauses for the minutes of the challenge that is open, if this is the response to it. */
  'pause.redeem': method('control', {
    params: z.strictObject({ code: z.string().max(64) }),
    result: z.strictObject({ minutes: z.int(), status: serviceStatus }),
  }),
};
