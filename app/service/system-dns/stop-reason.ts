/**
 * Why the machine's service is told to end: the stop reason that root leaves in a file. Without one, nobody asked for the
 * signal.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { stopReasonFile, stopReasons } from '../../contract/system/helper-protocol.ts';

export type StopReason = (typeof stopReasons)[number];

const root = 0;
/** systemd kills a service that needs longer to end, so an older reason belongs to another stop. */
const goodForMs = 60_000;
const longestWord = 16;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** null: there is no reason, or it is too old, or root did not write it. */
export function readStopReason(
  file: string = stopReasonFile,
  now: number = Date.now(),
  owner: number = root,
): StopReason | null {
  try {
    return readWord(openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), now, owner);
  } catch {
    return null;
  }
}

function readWord(descriptor: number, now: number, owner: number): StopReason | null {
  try {
    const found = fstatSync(descriptor);
    const isRoots = found.isFile() && found.uid === owner && (found.mode & 0o022) === 0;
    if (!isRoots || now - found.mtimeMs >= goodForMs) return null;
    const octets = Buffer.alloc(longestWord);
    const word = octets.toString('latin1', 0, readSync(descriptor, octets, 0, longestWord, 0));
    return stopReasons.find((reason) => word === `${reason}\n`) ?? null;
  } finally {
    closeSync(descriptor);
  }
}
