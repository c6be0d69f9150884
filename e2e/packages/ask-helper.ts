/** Sends one request to the helper, from inside, as a given user; the parsed reply. */
import { type HelperRequest, helperSocket } from '../../app/contract/system/helper-protocol.ts';
import type { InstallTarget } from './install-target.ts';

const script = `
  const socket = require('node:net').connect(process.argv[2]);
  socket.on('data', (reply) => { process.stdout.write(reply); socket.end(); });
  socket.on('error', () => {});
  socket.write(process.argv[1] + '\\n');`;

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
