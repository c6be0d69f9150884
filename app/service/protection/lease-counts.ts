/**
 * What the engine counted, as a killed service left it: 4096 slots of two little-endian u64, ledger entry and packets;
 * entry 0 is an empty slot (docs/design/policy.md).
 */
import { readFileSync } from 'node:fs';
import { sayErrno } from '../base/errno-words.ts';

const slots = 4096;
const slotOctets = 16;

export interface LastCounts {
  /** packets by ledger entry */
  counts: Map<number, number>;
  /** why they may be too low; null where they are exact */
  trouble: string | null;
}

export function readLastCounts(file: string): LastCounts {
  let octets: Buffer;
  try {
    octets = readFileSync(file);
  } catch (error) {
    const never = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { counts: new Map(), trouble: never ? null : `Can't read ${file}: ${sayErrno(error)}.` };
  }
  const { counts, unreadable } = readSlots(octets);
  if (octets.length !== slots * slotOctets)
    return {
      counts,
      trouble: `${file} has ${octets.length} octets instead of ${slots * slotOctets}.`,
    };
  const trouble =
    unreadable === 0 ? null : `${unreadable} of the counts in ${file} are not counts.`;
  return { counts, trouble };
}

function readSlots(octets: Buffer): { counts: Map<number, number>; unreadable: number } {
  const counts = new Map<number, number>();
  let unreadable = 0;
  for (let at = 0; at + slotOctets <= octets.length; at += slotOctets) {
    const entry = octets.readBigUInt64LE(at);
    const count = octets.readBigUInt64LE(at + 8);
    if (entry === 0n) continue;
    if (entry > mostExact || count > mostExact) unreadable++;
    else counts.set(Number(entry), Math.max(Number(count), counts.get(Number(entry)) ?? 0));
  }
  return { counts, unreadable };
}

const mostExact = BigInt(Number.MAX_SAFE_INTEGER);
