/** Small files whose content must survive a power cut: either the old or the new one, never half of one. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

export function writeDurably(file: string, text: string, mode = 0o600): void {
  makePrivateFolder(dirname(file));
  const beside = `${file}.new`;
  const descriptor = openSync(beside, 'w', mode);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(beside, file);
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
