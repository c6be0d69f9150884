/**
 * The audit log's files: the present one, and older ones beside it that are named by their first record. Only the present one is
 * written to. When it is full it is moved away in one step, and the oldest one is erased.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder } from '../base/private-folder.ts';

export interface AuditFiles {
  /** The present one; empty where there is none. Throws where it can't be read. */
  present(): Buffer;
  /** Paths of the older ones, the oldest first. */
  older(): string[];
  read(path: string): Buffer;
  /**
   * Resolves to false, and writes nothing, where the file does not have `size` octets. Once it returns true they outlast a power
   * cut. Throws where the disk refuses; then none of them is there, unless the disk refuses that, too.
   */
  append(octets: Buffer, size: number): boolean;
  /** The present one becomes an older one, and the oldest beyond `most` is erased. */
  moveAway(firstRecord: number, most: number): void;
}

/** `file`: the present one. */
export function auditFiles(file: string): AuditFiles {
  const older = () => olderFiles(file);
  return {
    present: () => readIfThere(file),
    older,
    read: (path) => readFileSync(path),
    append(octets, size) {
      makePrivateFolder(dirname(file));
      const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
      const descriptor = openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
      try {
        if (fstatSync(descriptor).size !== size) return false;
        write(descriptor, octets, size);
      } finally {
        closeSync(descriptor);
      }
      if (size === 0) syncFolder(dirname(file));
      return true;
    },
    moveAway(firstRecord, most) {
      renameSync(file, olderName(file, firstRecord));
      syncFolder(dirname(file));
      for (const path of older().slice(0, -most)) rmSync(path, { force: true });
    },
  };
}

/** `audit.jsonl` and record 1200 make `audit-000000001200.jsonl`. */
function olderName(file: string, firstRecord: number): string {
  const name = basename(file, '.jsonl');
  return join(dirname(file), `${name}-${String(firstRecord).padStart(12, '0')}.jsonl`);
}

/** Number of the first record in an older file. */
export function firstIn(path: string): number {
  return Number(/-(\d{12})\.jsonl$/.exec(path)?.[1]);
}

export function olderFiles(file: string): string[] {
  const name = basename(file, '.jsonl');
  return readdirSync(dirname(file))
    .filter((one) => one.startsWith(`${name}-`) && /^-\d{12}\.jsonl$/.test(one.slice(name.length)))
    .sort()
    .map((one) => join(dirname(file), one));
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

function write(descriptor: number, octets: Buffer, size: number): void {
  try {
    writeFileSync(descriptor, octets);
    fsyncSync(descriptor);
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
