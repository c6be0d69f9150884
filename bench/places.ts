import { join, resolve } from 'node:path';
import { nodeFlags, commandLine as programFile } from '../build/places.mjs';

export const repository = resolve(import.meta.dirname, '..');
/** Our program: the bundle as it is shipped, unless a source has changed since. */
export const program = [...nodeFlags, programFile()];
export const addon = join(repository, 'target/addon/sotto.node');
/** results of builds and reports of partial runs, which the repository does not keep */
export const workshop = join(repository, 'target/bench');
