/** `npm start`: the service in the foreground, with the user's settings. */
import { pathToFileURL } from 'node:url';
import { commandLine } from './places.mjs';

process.argv = [process.execPath, commandLine, 'run', ...process.argv.slice(2)];
await import(pathToFileURL(commandLine).href);
