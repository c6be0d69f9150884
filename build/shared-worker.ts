/**
 * Which test files share a worker. To start one and to load the modules of a file costs more than what most files do, so those that
 * start no program and change nothing of the process run one after the other in few workers, with modules that are loaded once.
 */
import { globSync, readFileSync } from 'node:fs';
import { inRoot, root } from './places.mjs';

const candidates = '{app,bench,renderer}/**/*.test.{ts,tsx}';

/** What one file could leave behind for the next: spies and clocks, variables of the process, processes and sockets. */
const leaves = [
  /\bvi\./,
  /\bprocess\.(?!getuid|pid|execPath|platform)/,
  /\bglobalThis\b/,
  /'node:(?!fs'|fs\/promises'|os'|path'|url'|buffer'|assert'|crypto'|util'|timers\/promises'|events')/,
];

export function mayShare(source: string): boolean {
  return !leaves.some((pattern) => pattern.test(source));
}

/** Relative to the root. */
export function filesThatShare(): string[] {
  return globSync(candidates, { cwd: root }).filter((file) =>
    mayShare(readFileSync(inRoot(file), 'utf8')),
  );
}
