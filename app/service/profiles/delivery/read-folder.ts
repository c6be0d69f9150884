/**
 * A folder into which somebody drops versions. Whoever may write there is not trusted: signatures are judged one file after the other,
 * and of a file that none of the keys signed nothing is kept. Names, versions and their octets are bounded.
 */
import { createHash } from 'node:crypto';
import { opendirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Result, succeed } from '../../../contract/errors.ts';
import { sayErrno } from '../../base/errno-words.ts';
import { refused, type Signed, signerOf } from '../judge-version.ts';
import { mostProfileOctets } from '../profile-file.ts';
import {
  type Found,
  type RefusedFile,
  readSignature,
  readSigned,
  unreadable,
} from './read-files.ts';

const mostNames = 1024;
const mostVersions = 32;
/** of all that are read at one look */
const mostOctets = 4 * mostProfileOctets;

export async function readFolder(folder: string, keys: readonly string[]): Promise<Result<Found>> {
  try {
    const look = new FolderLook(keys);
    for (const path of look.newestIn(folder)) {
      look.read(path);
      // Requests of others come in between.
      await setImmediate();
    }
    return succeed({ versions: look.versions, refused: look.refused, tag: null });
  } catch (error) {
    return unreadable(folder, sayErrno(error));
  }
}

class FolderLook {
  readonly versions: Signed[] = [];
  readonly refused: RefusedFile[] = [];
  readonly #keys: readonly string[];
  #octets = 0;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  /** By the time of their last change, which copying keeps or sets anew; the serial decides among what is read. */
  newestIn(folder: string): string[] {
    const names = this.#namesIn(folder).filter((name) => name.endsWith('.json'));
    const files = names.flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? [] : [{ path, changed: found.mtimeMs }];
    });
    if (files.length > mostVersions)
      this.#refuse(
        `${folder} has more than ${mostVersions} versions, of which the newest are read`,
      );
    return files
      .sort((one, other) => other.changed - one.changed)
      .slice(0, mostVersions)
      .map(({ path }) => path);
  }

  #namesIn(folder: string): string[] {
    const names: string[] = [];
    const directory = opendirSync(folder);
    try {
      for (let one = directory.readSync(); one !== null; one = directory.readSync()) {
        if (names.length === mostNames) {
          this.#refuse(
            `${folder} has more than ${mostNames} names, of which others are not looked at`,
          );
          break;
        }
        names.push(one.name);
      }
    } finally {
      directory.closeSync();
    }
    return names;
  }

  read(path: string): void {
    // A file without a readable signature beside it is still being written, or is no version.
    const signature = readSignature(path);
    if (!signature.ok) return;
    const found = { profile: '', signature: signature.value };
    const refusal = this.#refusalOf(path, found);
    if (refusal !== null) this.#refuse(refusal, found.profile + found.signature);
  }

  /** Null: it is taken. */
  #refusalOf(path: string, found: Signed): string | null {
    // A signature of another key is told from one of ours without the file.
    const unsigned = signerOf(found, this.#keys);
    if (unsigned.verdict === 'other-key') return `${path}: ${unsigned.message}`;
    if (this.#octets >= mostOctets)
      return `${path}: the newer ones have more than ${mostOctets} octets together`;
    const read = readSigned(path, found.signature);
    if (!read.ok) return read.failure.message;
    found.profile = read.value.profile;
    this.#octets += read.value.profile.length;
    const signer = signerOf(read.value, this.#keys);
    if (signer.verdict !== 'valid') return `${path}: ${signer.message}`;
    this.versions.push(read.value);
    return null;
  }

  #refuse(message: string, octets = ''): void {
    const { failure } = refused(message, 'look into the folder, and who may write there');
    this.refused.push({ failure, octets: createHash('sha256').update(octets).digest('hex') });
  }
}
