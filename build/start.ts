/**
 * `npm start`: `sotto run` in the foreground, under the guardian where there is one, with a greeting and its journal in a file;
 * beside it the tray with its window (shell.ts). Without Electron or a screen there is the page for a browser, whose address is printed
 * and which ends with the service.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { electronForScreen } from './electron.ts';
import { commandLine, guardian, inRoot, nodeFlags } from './places.mjs';

const guarded = existsSync(guardian) && process.platform === 'linux' ? ['--guarded'] : [];
const program = commandLine();
const given = process.argv.slice(2);
const home = homeOf(given);
const electron = electronForScreen(process.env);
if (electron === null) {
  const page = ['ui', '--no-open', '--with-service', ...home];
  const pageProcess = spawn(process.execPath, [...nodeFlags, program, ...page], {
    stdio: ['ignore', 'inherit', 'ignore'],
  });
  // A guardian takes this process over; without one, there is nothing more to wait for when it ends.
  pageProcess.unref();
  process.once('exit', () => pageProcess.kill());
} else {
  spawn(process.execPath, [...nodeFlags, inRoot('build', 'shell.ts'), electron, ...home], {
    stdio: ['ignore', 'inherit', 'ignore'],
  }).unref();
}

process.env['SOTTO_GREETING'] = 'npm start';
const journal = given.some((word) => /^--journal(=|$)/.test(word)) ? [] : ['--journal'];
process.argv = [process.execPath, program, 'run', ...guarded, ...given, ...journal];
await import(pathToFileURL(program).href);

/** The page of this service. */
function homeOf(words: readonly string[]): string[] {
  const at = words.findIndex((word) => word === '--home' || word.startsWith('--home='));
  if (at < 0) return [];
  return words.slice(at, at + (words[at] === '--home' ? 2 : 1));
}
