/** Reads files of other programs, as far as this user may. A file that can't be read counts as absent. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Files {
  read(file: string): string | null;
  /** full paths */
  list(folder: string): string[];
}

export const systemFiles: Files = {
  read(file) {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      return null;
    }
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
