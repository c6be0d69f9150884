/** Small files whose content must survive a power cut: either the old or the new one, never half of one. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

export function writeDurably(file: string, text: string, mode = 0o600): void {
  makePrivateFolder(dirname(file));
  const beside = `${file}.new`;
  try {
    writeWhole(beside, text, mode);
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A disk that is almost full takes a part without an error; a single write would not notice. */
function writeWhole(file: string, text: string, mode: number): void {
  const descriptor = openSync(file, 'w', mode);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
