import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Port numbers for programs that cannot report which one they bound. They lie below the kernel's range for outgoing sockets,
 * and each test worker counts through its own thousand, so a number stays free until its program starts.
 */
const span = 1000;
const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % 16;
const first = 11_000 + worker * span;
let offset = Math.floor(Math.random() * span);

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < span; tried++) {
    const port = first + (offset++ % span);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${first} and ${first + span}`);
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
