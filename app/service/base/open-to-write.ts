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
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, parse, resolve } from 'node:path';

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
  const { dir, base } = parse(resolve(file));
  const place = join(withoutLinks(dir), base);
  const isLink = isTrustedLink(place);
  const following = isLink ? 0 : (O_NOFOLLOW ?? 0);
  const flags = O_WRONLY | O_CREAT | how | following | (O_NONBLOCK ?? 0);
  const descriptor = openSync(place, flags, mode);
  try {
    const found = fstatSync(descriptor);
    if (found.isFile() && !isLink && process.platform === 'linux' && pathOf(descriptor) !== place)
      throw notOurs('its folder was changed at this moment');
    if (found.isFile() && found.nlink > 1 && ownNumber() === 0)
      throw notOurs('it has a second name, which may be in a folder of root');
    if (writing === 'over' && found.isFile()) ftruncateSync(descriptor);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** The kernel follows as many links (path_resolution(7)). */
const mostLinks = 40;

/** Links are followed by one who sees whose they are. Throws an error with the code ENOTOURS where one is another user's. */
export function withoutLinks(folder: string, left = mostLinks): string {
  const { root, dir, base } = parse(folder);
  if (base === '') return root;
  const place = join(withoutLinks(dir, left), base);
  if (!isTrustedLink(place)) return place;
  if (left === 0) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
  return withoutLinks(resolve(dirname(place), readlinkSync(place)), left - 1);
}

/** Root's and one's own links: `/dev/stdout` is one. */
function isTrustedLink(place: string): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true) return false;
  if ([0, ownNumber()].includes(found.uid)) return true;
  throw notOurs(`${place} is a symbolic link of another user`);
}

function pathOf(descriptor: number): string {
  return readlinkSync(`/proc/self/fd/${descriptor}`);
}

function ownNumber(): number | undefined {
  return process.geteuid?.();
}

function notOurs(why: string): Error {
  return Object.assign(new Error(why), { code: 'ENOTOURS' });
}
