/** What many more clients than were replayed would need: every figure grows with their number, because clients do not know each other. */
import { shown } from '../numbers.ts';
import type { Outcome, Replayed } from './summary.ts';

const manies = [1e6, 10e6, 100e6];
/** Of which no more than half is used, so that one machine can die. */
const machine = { processors: 16, gigabytes: 64, connections: 1_000_000 };
const used = 0.5;
/** With each handshake (decision 0082). */
const tickets = 2;

export function manyClients(summary: Replayed, at: Outcome): string {
  return `Computed from the day above at ${at.timeout} s, with everything multiplied by the number of clients. Handshakes and processors are those of the
busiest time, taken to be as much more than the mean as connections are. A machine has ${machine.processors} processors, ${machine.gigabytes} GB and room for ${shown(machine.connections, 0)} connections
(\`LimitNOFILE\`), of which half is used; one more may be away. What the resolver behind the server needs is not in it, nor are attackers.

| clients | queries/s | connections at most | their memory | handshakes/s | of them full | tickets/s | processors | machines |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${manies.map((many) => need(many / summary.clients, many, summary, at)).join('\n')}`;
}

function need(factor: number, many: number, summary: Replayed, at: Outcome): string {
  const { mean, most, mostOctets, mostKernelOctets } = at.connections;
  const busiest = (factor * most) / mean;
  const full = at.fullHandshakesPerSecond * busiest;
  const handshakes = full + at.resumedHandshakesPerSecond * busiest;
  const gigabytes = ((mostOctets + mostKernelOctets) * factor) / 1e9;
  const processors = at.processors * busiest;
  const shares = [
    processors / machine.processors,
    gigabytes / machine.gigabytes,
    (most * factor) / machine.connections,
  ];
  const machines = Math.ceil(Math.max(...shares) / used) + 1;
  const cells = [
    `${shown(many / 1e6, 0)} million`,
    shown((summary.queries / summary.seconds) * factor, 0),
    shown(most * factor, 0),
    `${shown(gigabytes, 1)} GB`,
    shown(handshakes, 0),
    shown(full, 0),
    shown(handshakes * tickets, 0),
    shown(processors, 1),
    shown(machines, 0),
  ];
  return `| ${cells.join(' | ')} |`;
}
