/** Tells a connection for which there is no room why, and ends it. Few connections get this reply at a time. */
import type { Socket } from 'node:net';
import { createMessageConnection, SocketMessageReader } from 'vscode-jsonrpc/node';
import type { Result } from '../../contract/errors.ts';
import { PromptWriter } from './prompt-writer.ts';

const mostAtOnce = 16;
/** A connection without a request by then gets no reply. */
const patienceMs = 1000;

export function createTurnAway(): (socket: Socket, why: Result<never>) => void {
  const told = new Set<Socket>();

  return (socket, why) => {
    socket.on('error', () => socket.destroy());
    if (told.size >= mostAtOnce) return void socket.destroy();
    told.add(socket);
    const patience = setTimeout(() => socket.destroy(), patienceMs);
    const writer = new PromptWriter(socket, { makeRoom: () => {}, spend: () => {} });
    const connection = createMessageConnection(new SocketMessageReader(socket), writer);
    let read = 0;
    socket.on('data', (octets) => {
      read += octets.length;
      if (read > longestHello) socket.destroy();
    });
    socket.once('close', () => {
      clearTimeout(patience);
      told.delete(socket);
      connection.dispose();
    });
    connection.onError(() => socket.destroy());
    connection.onRequest(() => {
      setImmediate(() => socket.end());
      return why;
    });
    connection.listen();
  };
}

const longestHello = 4096;
