/** One request to the helper, from inside, as somebody; what it answered, parsed. */
import type { HelperRequest } from '../../app/contract/helper-protocol.ts';
import type { Machine } from './machine.ts';

const script = `
  const socket = require('node:net').connect('/run/sotto-helper/helper.sock');
  socket.on('data', (reply) => { process.stdout.write(reply); socket.end(); });
  socket.on('error', () => {});
  socket.write(process.argv[1] + '\\n');`;

/** null: it closed the connection without a word. */
export async function askHelper(
  machine: Machine,
  request: HelperRequest,
  who: string,
  node: string,
): Promise<unknown> {
  const said = await machine.succeed([node, '-e', script, JSON.stringify(request)], who);
  return said === '' ? null : JSON.parse(said);
}
