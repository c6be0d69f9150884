/** Says one line to a Unix socket, and tells what comes back: `ask-helper.ts SOCKET LINE`, as whichever user. */
import { connect } from 'node:net';

const [, , path = '', line = ''] = process.argv;
const socket = connect(path);
socket.on('error', () => {});
socket.setEncoding('utf8').on('data', (text: string) => {
  process.stdout.write(text);
  socket.destroy();
});
socket.write(`${line}\n`);
