/** Sends one line to a Unix socket and prints the reply: `ask-helper.ts SOCKET LINE`, as any user. */
import { connect } from 'node:net';

const [, , path = '', line = ''] = process.argv;
const socket = connect(path);
socket.on('error', () => {});
socket.setEncoding('utf8').on('data', (text: string) => {
  process.stdout.write(text);
  socket.destroy();
});
socket.write(`${line}\n`);
