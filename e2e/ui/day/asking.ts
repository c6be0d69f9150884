/**
 * A program that asks, started as its own process, so that the service finds it among the programs of this computer. It takes
 * lines of JSON on standard input (names and types), sends them from one socket, and prints a line once all were answered.
 */
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';
import { encodeQuery, type TypeName } from '../../rig/message.ts';

const port = Number(process.argv[2]);
const socket = createSocket('udp4');
const waiting = new Set<number>();
let id = 0;
let whenAnswered = () => {};

socket.on('message', (message) => {
  waiting.delete(message.readUInt16BE(0));
  if (waiting.size === 0) whenAnswered();
});
await new Promise<void>((connected) => socket.connect(port, '127.0.0.1', () => connected()));

for await (const line of createInterface({ input: process.stdin })) {
  const queries = JSON.parse(line) as { name: string; type: TypeName }[];
  await new Promise<void>((answered) => {
    whenAnswered = answered;
    for (const { name, type } of queries) {
      id = (id % 0xffff) + 1;
      waiting.add(id);
      socket.send(encodeQuery(name, type, { id }));
    }
  });
  console.log(queries.length);
}
socket.close();
