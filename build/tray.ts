/**
 * Builds the tray for Electron: one CommonJS file for its process and one for the preload, which is sandboxed and can import
 * nothing. The marks are put beside them.
 */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'rolldown';
import { inRoot, trayFolder } from './places.mjs';
import { precomputed } from './precomputed.ts';

rmSync(trayFolder, { recursive: true, force: true });
for (const [name, input] of [
  ['tray', 'app/tray/tray.ts'],
  ['preload', 'app/preload/preload.ts'],
] as const)
  await build({
    input: { [name]: inRoot(input) },
    platform: 'node',
    external: ['electron'],
    plugins: [precomputed],
    // the oldest Electron on which the tests run
    transform: { target: 'node16' },
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
    output: {
      dir: trayFolder,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      codeSplitting: false,
      minify: true,
    },
  });
cpSync(inRoot('assets', 'tray', 'png'), `${trayFolder}/marks`, { recursive: true });
writeFileSync(
  `${trayFolder}/package.json`,
  `${JSON.stringify({ name: 'sotto', productName: 'Sotto', main: 'tray.cjs' })}\n`,
);
