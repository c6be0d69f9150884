/** The first port from `first` on that is free on 127.0.0.1 for UDP and TCP alike. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const tries = 100;

export async function freePortFrom(first: number): Promise<number> {
  for (let port = first; port < first + tries; port += 1) {
    if ((await udpIsFree(port)) && (await tcpIsFree(port))) return port;
  }
  throw new Error(`no port from ${first} to ${first + tries - 1} is free on 127.0.0.1`);
}

function udpIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(true)));
  });
}

function tcpIsFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
