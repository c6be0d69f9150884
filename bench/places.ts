import { join, resolve } from 'node:path';
import { nodeFlags, commandLine as programFile } from '../build/places.mjs';

export const repository = resolve(import.meta.dirname, '..');
/** Our program as it is shipped: bundled, unless a source has changed since. */
export const program = [...nodeFlags, programFile()];
export const addon = join(repository, 'target/addon/sotto.node');
/** what the benchmarks build and what a partial run reports; not kept in the repository */
export const workshop = join(repository, 'target/bench');
