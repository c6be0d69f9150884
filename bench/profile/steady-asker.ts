/**
 * Sends queries at a steady pace, as a program beside the service: ADDRESS PORT ZONE RATE. Every other query is for one name, which
 * the cache has; the others are for new names. After SIGTERM it prints each latency as a line of JSON, and ends.
 */
import { createSocket } from 'node:dgram';
import { encodeQuery } from '../../e2e/rig/message.ts';

export interface Latency {
  /** unix milliseconds */
  at: number;
  /** null: no response within the patience */
  ms: number | null;
  cached: boolean;
}

const [address = '', port = '', zone = '', rate = ''] = process.argv.slice(2);
const patienceMs = 5000;
const ids = 65_536;

const waiting = new Map<number, { at: number; begun: number; cached: boolean }>();
const seen: Latency[] = [];
let asked = 0;

const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
socket.on('message', (response) => {
  const id = response.readUInt16BE(0);
  const sent = waiting.get(id);
  if (sent === undefined) return;
  waiting.delete(id);
  seen.push({ at: sent.at, ms: performance.now() - sent.begun, cached: sent.cached });
});
const asking = setInterval(ask, 1000 / Number(rate));
process.on('SIGTERM', () => {
  clearInterval(asking);
  setTimeout(end, waiting.size === 0 ? 0 : patienceMs);
});
process.stdout.write('asking\n');

function ask(): void {
  asked += 1;
  const id = asked % ids;
  const cached = asked % 2 === 0;
  const name = cached ? `same.${zone}` : `new${asked}.${zone}`;
  waiting.set(id, { at: Date.now(), begun: performance.now(), cached });
  socket.send(encodeQuery(name, 'A', { id }), Number(port), address);
}

function end(): void {
  for (const { at, cached } of waiting.values()) seen.push({ at, ms: null, cached });
  process.stdout.write(seen.map((one) => `${JSON.stringify(one)}\n`).join(''), () =>
    process.exit(0),
  );
}
