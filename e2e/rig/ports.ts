/**
 * Port numbers for programs that cannot report which one they bound. They lie below the kernel's range for outgoing sockets, and each
 * process of tests counts through a thousand that no other has, whoever started it, so a number stays free until its program starts.
 */
import { createSocket } from 'node:dgram';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const span = 1000;
const lowest = 11_000;
const spans = 21;
let own: number | undefined;
let offset = Math.floor(Math.random() * span);

export async function freePort(): Promise<number> {
  own ??= lowest + span * claimedSpan();
  for (let tried = 0; tried < span; tried++) {
    const port = own + (offset++ % span);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${own} and ${own + span}`);
}

/** Any, where all are taken. */
function claimedSpan(): number {
  const first = Math.floor(Math.random() * spans);
  const inTurn = Array.from({ length: spans }, (_, index) => (first + index) % spans);
  return inTurn.find(isClaimed) ?? first;
}

function isClaimed(number: number): boolean {
  const file = join(tmpdir(), `sotto-test-ports-${number}`);
  try {
    if (!isHeld(file)) rmSync(file, { force: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    return false;
  }
  process.once('exit', () => rmSync(file, { force: true }));
  return true;
}

/** Whether the process that claimed it runs still. */
function isHeld(file: string): boolean {
  try {
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch {
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const results = await Promise.all([
    bindsUdp(port, '127.0.0.1'),
    bindsUdp(port, '::1'),
    bindsTcp(port, '127.0.0.1'),
    bindsTcp(port, '::1'),
  ]);
  return results.every(Boolean);
}

function bindsUdp(port: number, address: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    socket.once('error', (error) => done(isMissingFamily(error)));
    socket.bind({ port, address, exclusive: true }, () => socket.close(() => done(true)));
  });
}

function bindsTcp(port: number, host: string): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error) => done(isMissingFamily(error)));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(true)));
  });
}

function isMissingFamily(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}
