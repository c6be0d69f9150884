/** Sends one request to the helper, from inside, as a given user; the parsed reply. */
import { type HelperRequest, helperSocket } from '../../app/contract/system/helper-protocol.ts';
import type { InstallTarget } from './install-target.ts';

/** A socket whose file is there may not listen yet. */
const script = `
  const [, request, path] = process.argv;
  const ask = () => {
    const socket = require('node:net').connect(path);
    socket.on('data', (reply) => { process.stdout.write(reply); socket.end(); });
    socket.on('error', ({ code }) => { if (code === 'ECONNREFUSED') setTimeout(ask, 50); });
    socket.write(request + '\\n');
  };
  ask();`;

/** null: it closed the connection without a reply. */
export async function askHelper(
  machine: InstallTarget,
  request: HelperRequest,
  who: string,
  node: string,
  socket = helperSocket,
): Promise<unknown> {
  const words = [node, '-e', script, JSON.stringify(request), socket];
  const said = await machine.succeed(words, who);
  return said === '' ? null : JSON.parse(said);
}
