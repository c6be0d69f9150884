/**
 * Queries many names at once, as a program to start on a machine: ADDRESS PORT ZONE COUNT [PATIENCE]. Prints the result of each
 * as a line of JSON, and ends when all have responses or PATIENCE (in milliseconds) is over.
 */
import { createSocket } from 'node:dgram';
import type { Outcome } from '../lab/policy-matrix/steady-queries.ts';
import { encodeQuery } from '../rig/message.ts';

/** Programs wait for 5 s before they repeat a query or give up (resolv.conf(5)). */
const [address = '', port = '', zone = '', count = '', patienceMs = 5000] = process.argv.slice(2);

const waiting = new Map<number, number>();
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
socket.on('message', (answer) => tell(answer.readUInt16BE(0), answer.readUInt16BE(2) & 0xf));
for (let number = 1; number <= Number(count); number++) {
  waiting.set(number, Date.now());
  socket.send(encodeQuery(`b${number}.${zone}`, 'A', { id: number }), Number(port), address);
}
process.stdout.write('asked\n');
const patience = setTimeout(() => {
  for (const number of waiting.keys()) tell(number, null);
}, Number(patienceMs));

function tell(number: number, rcode: number | null): void {
  const at = waiting.get(number);
  if (at === undefined) return;
  waiting.delete(number);
  const outcome: Outcome = { number, at, afterMs: Date.now() - at, rcode };
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
  if (waiting.size > 0) return;
  clearTimeout(patience);
  socket.close();
}
