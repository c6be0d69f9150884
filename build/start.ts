/** `npm start`: `sotto run` in the foreground, under the guardian where there is one, with words for a first time. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { commandLine, guardian } from './places.mjs';

const guarded = existsSync(guardian) && process.platform === 'linux' ? ['--guarded'] : [];
const program = commandLine();
process.env['SOTTO_GREETING'] = 'npm start';
process.argv = [process.execPath, program, 'run', ...guarded, ...process.argv.slice(2)];
await import(pathToFileURL(program).href);
