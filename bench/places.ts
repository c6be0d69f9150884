import { join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '..');
export const commandLine = join(repository, 'app/cli/main.ts');
export const addon = join(repository, 'target/addon/sotto.node');
/** what the benchmarks build and what a partial run reports; not kept in the repository */
export const workshop = join(repository, 'target/bench');
export const measurements = join(repository, 'docs/measurements');
