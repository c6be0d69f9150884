/**
 * Queries one new name after the other, as a program to start on a machine of the lab: ADDRESS PORT ZONE RATE. Prints the result
 * of each query as a line of JSON. After SIGTERM it sends no more, and ends when all queries have responses or have waited long
 * enough.
 */
import { createSocket } from 'node:dgram';
import { encodeQuery } from '../../rig/message.ts';
import type { Outcome } from './steady-queries.ts';

const [address = '', port = '', zone = '', rate = ''] = process.argv.slice(2);
/** Longer than any response may take, and longer than a service may be away that is started anew. */
const patienceMs = 12_000;

const waiting = new Map<number, number>();
let asked = 0;
let stopping = false;

/** A service that comes back responds to everything at once that was queried meanwhile. */
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
socket.on('message', (answer) => {
  const number = answer.readUInt16BE(0);
  const at = waiting.get(number);
  if (at !== undefined) tell(number, at, answer.readUInt16BE(2) & 0xf);
});
// An error that nobody listens: the query stays without a response, which is what counts.
socket.on('error', () => {});

const asking = setInterval(ask, 1000 / Number(rate));
process.on('SIGTERM', () => {
  clearInterval(asking);
  stopping = true;
  setTimeout(giveUp, patienceMs);
  endIfDone();
});

function ask(): void {
  const number = ++asked;
  waiting.set(number, Date.now());
  socket.send(
    encodeQuery(`q${number}.${zone}`, 'A', { id: number }),
    Number(port),
    address,
    () => {},
  );
}

function tell(number: number, at: number, rcode: number | null): void {
  waiting.delete(number);
  const outcome: Outcome = { number, at, afterMs: Date.now() - at, rcode };
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
  endIfDone();
}

function giveUp(): void {
  for (const [number, at] of waiting) tell(number, at, null);
}

function endIfDone(): void {
  if (!stopping || waiting.size > 0) return;
  socket.close();
  process.stdout.write('', () => process.exit(0));
}
