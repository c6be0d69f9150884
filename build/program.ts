/** How the program is bundled: what is built, and what a test reads of it. */
import type { BuildOptions, Plugin } from 'rolldown';
import { lateBuiltins } from './late-builtins.ts';
import { bundle, inRoot } from './places.mjs';
import { precomputed } from './precomputed.ts';

/** A worker, or a child process, is an entry of its own; its file in the bundle has another name than its source. */
const workers: Plugin = {
  name: 'workers',
  transform: (code) => code.replace(/'\.\/([a-z]+-(?:worker|process))\.ts'/g, "'./$1.mjs'"),
};

export const program = {
  input: {
    cli: inRoot('app/cli/main.ts'),
    'writer-worker': inRoot('app/service/query-log/writer-worker.ts'),
    'reader-process': inRoot('app/service/query-log/reader-process.ts'),
  },
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] },
  external: ['better-sqlite3'],
  plugins: [workers, precomputed, lateBuiltins],
  logLevel: 'warn',
  output: {
    dir: bundle,
    format: 'esm',
    minify: { compress: true, mangle: { keepNames: true }, codegen: true },
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  },
} satisfies BuildOptions;
