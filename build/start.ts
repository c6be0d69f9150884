/** `npm start`: `sotto run` in the foreground, and once it listens, how to use it. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { servicePaths } from '../app/contract/service-paths.ts';
import { parseSocketAddress } from '../app/contract/socket-address.ts';
import { connectToService } from '../app/service-client/service-client.ts';
import { commandLine } from './places.mjs';

const words = process.argv.slice(2);
const { values } = parseArgs({ args: words, options: { home: { type: 'string' } }, strict: false });
const home = typeof values['home'] === 'string' ? values['home'] : undefined;
const paths = servicePaths(process.env, home);
const askAgainAfter = 100;

lookForIt();
const program = commandLine();
process.argv = [process.execPath, program, 'run', ...words];
await import(pathToFileURL(program).href);

/** The timer keeps nothing alive: a service that could not start ends this process by itself. */
function lookForIt(): void {
  setTimeout(async () => {
    const listening = await ownAddresses();
    if (listening === null) lookForIt();
    else console.log(greeting(listening));
  }, askAgainAfter).unref();
}

/** Null while there is no service, or only somebody else's. */
async function ownAddresses(): Promise<string[] | null> {
  const service = await connectToService(paths.controlSocket, 'npm start');
  if (!service.ok) return null;
  const status = await service.value.call('status.get', {});
  service.value.close();
  return service.value.hello.pid === process.pid && status.ok ? status.value.listening : null;
}

function greeting(listening: string[]): string {
  const { ip, port } = parseSocketAddress(listening[0] ?? '') ?? { ip: '127.0.0.1', port: null };
  const absent = existsSync(paths.settingsFile) ? '' : ' (not there yet: defaults)';
  return [
    '',
    `Sotto listens on ${listening.join(' and ')}`,
    '',
    `  ask it     dig @${ip} -p ${port ?? 53} example.com`,
    '  watch it   npx sotto log --follow',
    '  its state  npx sotto status',
    `  settings   ${paths.settingsFile}${absent}`,
    '  end it     Ctrl-C',
    '',
  ].join('\n');
}
