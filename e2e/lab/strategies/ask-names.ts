/**
 * Queries each name of a file once, as a program to start on a machine of the lab: ADDRESS PORT RATE FILE. Prints the results as
 * JSON, and ends when all have responses or have waited long enough.
 */
import { createSocket } from 'node:dgram';
import { readFile } from 'node:fs/promises';
import { encodeQuery } from '../../rig/message.ts';
import type { Fate } from './hearing.ts';

const [address = '', port = '', rate = '', file = ''] = process.argv.slice(2);
/** Longer than any response may take. */
const patienceMs = 12_000;

const names = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
const fates: Fate[] = [];
const socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
socket.on('message', (answer) => settle(answer.readUInt16BE(0), answer.readUInt16BE(2) & 0xf));

const asking = setInterval(() => {
  const id = fates.length;
  const name = names[id] as string;
  fates.push({ name, rcode: null });
  socket.send(encodeQuery(name, 'A', { id }), Number(port), address);
  if (fates.length < names.length) return;
  clearInterval(asking);
  setTimeout(end, patienceMs);
}, 1000 / Number(rate));

function settle(id: number, rcode: number): void {
  const fate = fates[id];
  if (fate !== undefined) fate.rcode = rcode;
  if (fates.length === names.length && fates.every((one) => one.rcode !== null)) end();
}

function end(): void {
  socket.close();
  process.stdout.write(JSON.stringify(fates), () => process.exit(0));
}
