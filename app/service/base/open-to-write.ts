/**
 * Opens a file that somebody named, to write it. The folder may belong to another user, who could have put something else there and
 * could change it at any moment: no link of theirs is followed, no pipe is waited for, and nothing is written over before that is known.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  writeFileSync,
} from 'node:fs';

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** `new`: nothing has this name. `over`: what was there goes. `append`: what was there stays. */
export type Writing = 'new' | 'over' | 'append';

/** Throws what `openSync` throws, or an error with the code ENOTOURS. */
export function writeTo(
  file: string,
  content: string | Buffer,
  writing: Writing,
  mode: number,
): void {
  const descriptor = openToWrite(file, writing, mode);
  try {
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/** Throws as `writeTo` does. */
export function openToWrite(file: string, writing: Writing, mode: number): number {
  const how = { new: O_EXCL, over: 0, append: O_APPEND }[writing];
  const link = lstatSync(file, { throwIfNoEntry: false });
  if (link?.isSymbolicLink() === true && !isTrusted(link.uid))
    throw notOurs('it is a symbolic link of another user');
  const following = link?.isSymbolicLink() === true ? 0 : (O_NOFOLLOW ?? 0);
  const descriptor = openSync(file, O_WRONLY | O_CREAT | how | following | (O_NONBLOCK ?? 0), mode);
  try {
    const found = fstatSync(descriptor);
    if (found.isFile() && found.nlink > 1 && ownNumber() === 0)
      throw notOurs('it has a second name, which may be in a folder of root');
    if (writing === 'over' && found.isFile()) ftruncateSync(descriptor);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Root's and one's own links: `/dev/stdout` is one. */
function isTrusted(owner: number): boolean {
  return [0, ownNumber()].includes(owner);
}

function ownNumber(): number | undefined {
  return process.geteuid?.();
}

function notOurs(why: string): Error {
  return Object.assign(new Error(why), { code: 'ENOTOURS' });
}
