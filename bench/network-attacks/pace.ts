/**
 * A program whose connections begin at fixed times: each makes a full handshake and asks once, and then ends or stays. Its argument is
 * a `Pace` as JSON; at its end it prints a `Paced`.
 */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { FrameReader, frame } from '../../e2e/rig/framing.ts';
import { encodeQuery } from '../../e2e/rig/message.ts';
import type { Endpoint } from '../../e2e/rig/raw-client.ts';

export interface Pace {
  to: Endpoint;
  name: string;
  /** their addresses */
  from: string[];
  /** connections a second of each address */
  rate: number;
  seconds: number;
  /** after its response a connection remains, until the server closes it */
  stay: boolean;
}

export interface Paced {
  event: 'paced';
  done: number;
  failed: number;
  latencyMs: { p50: number; p99: number } | null;
  /** open at the end */
  held: number;
}

/** A client waits no longer than this for its response. */
const patienceMs = 5000;

const { to, name, from, rate, seconds, stay }: Pace = JSON.parse(process.argv[2] ?? '');
const latencies: number[] = [];
const held = new Set<TLSSocket>();
let failed = 0;

async function visit(localAddress: string): Promise<void> {
  const begun = performance.now();
  const socket = connect({ host: to.address, port: to.port, localAddress });
  const tls = connectTls({ socket, rejectUnauthorized: false });
  const tooLate = setTimeout(() => tls.destroy(), patienceMs);
  try {
    for (const each of [socket, tls]) each.on('error', () => tls.destroy());
    tls.write(frame(encodeQuery(name, 'A')));
    await new FrameReader(tls).next();
    latencies.push(performance.now() - begun);
    if (stay) keep(tls);
    else tls.end();
  } catch {
    failed++;
  } finally {
    clearTimeout(tooLate);
  }
}

function keep(tls: TLSSocket): void {
  held.add(tls);
  tls.once('close', () => held.delete(tls));
  tls.resume();
}

const visits: Promise<void>[] = [];
const total = rate * from.length * seconds;
const start = performance.now();
for (let at = 0; at < total; at++) {
  await pause(Math.max(0, start + (at * 1000 * seconds) / total - performance.now()));
  visits.push(visit(from[at % from.length] as string));
}
const stillHeld = held.size;
await Promise.all(visits);
const sorted = latencies.sort((left, right) => left - right);
const quantile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
const paced: Paced = {
  event: 'paced',
  done: sorted.length,
  failed,
  latencyMs: sorted.length === 0 ? null : { p50: quantile(0.5), p99: quantile(0.99) },
  held: stillHeld,
};
process.stdout.write(`${JSON.stringify(paced)}\n`, () => process.exit(0));
