/** Reads files of other programs, as far as this user may. A file that can't be read counts as absent. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded } from '../../base/bounded-file.ts';

export interface Files {
  read(file: string): string | null;
  /** full paths */
  list(folder: string): string[];
}

/** Whoever owns such a file may put a pipe, a device or a film in its place. */
const mostOctets = 4_194_304;

export const systemFiles: Files = {
  read(file) {
    const read = readBounded(file, mostOctets);
    return 'octets' in read ? read.octets.toString('utf8') : null;
  },
  list(folder) {
    try {
      return readdirSync(folder).map((name) => join(folder, name));
    } catch {
      return [];
    }
  },
};

/** Null where it is no JSON that can be read. */
export function readJson(files: Files, file: string): unknown {
  try {
    return JSON.parse(files.read(file) ?? 'null');
  } catch {
    return null;
  }
}
