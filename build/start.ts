/**
 * `npm start`: `sotto run` in the foreground, under the guardian where there is one, with words for a first time; beside
 * it the page, which ends with it. No browser is opened: its address is printed.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { commandLine, guardian, nodeFlags } from './places.mjs';

const guarded = existsSync(guardian) && process.platform === 'linux' ? ['--guarded'] : [];
const program = commandLine();
const given = process.argv.slice(2);
const page = ['ui', '--no-open', '--with-service', ...homeOf(given)];
spawn(process.execPath, [...nodeFlags, program, ...page], {
  stdio: ['ignore', 'inherit', 'ignore'],
});

process.env['SOTTO_GREETING'] = 'npm start';
process.argv = [process.execPath, program, 'run', ...guarded, ...given];
await import(pathToFileURL(program).href);

/** The page is of the service that was asked for. */
function homeOf(words: readonly string[]): string[] {
  const at = words.findIndex((word) => word === '--home' || word.startsWith('--home='));
  if (at < 0) return [];
  return words.slice(at, at + (words[at] === '--home' ? 2 : 1));
}
