/** Queries as octets over a socket of our own, for what dig and its like hide or cannot do. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { patienceMs } from './eventually.ts';
import { FrameReader, frame } from './framing.ts';

export interface Endpoint {
  address: string;
  port: number;
}

export function text({ address, port }: Endpoint): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Parses `text`, for IPv4. */
export function endpoint(text = ''): Endpoint {
  const [address = '', port] = text.split(':');
  return { address, port: Number(port) };
}

export async function askUdp(to: Endpoint, query: Buffer, timeoutMs = patienceMs): Promise<Buffer> {
  const [answer] = await askManyUdp(to, [query], timeoutMs);
  return answer as Buffer;
}

/** All queries at once from one socket; responses in the order of the queries. Ids must differ. */
export async function askManyUdp(
  to: Endpoint,
  queries: Buffer[],
  timeoutMs = patienceMs,
): Promise<Buffer[]> {
  const socket = createSocket({
    type: to.address.includes(':') ? 'udp6' : 'udp4',
    recvBufferSize: 4 << 20,
  });
  try {
    return await collect(queries, timeoutMs, (deliver, failed) => {
      socket.on('message', deliver).once('error', failed);
      for (const query of queries) socket.send(query, to.port, to.address);
    });
  } finally {
    socket.close();
  }
}

export async function askTcp(to: Endpoint, query: Buffer, timeoutMs = patienceMs): Promise<Buffer> {
  const [answer] = await askManyTcp(to, [query], timeoutMs);
  return answer as Buffer;
}

/** All queries pipelined on one connection, in one write. */
export async function askManyTcp(
  to: Endpoint,
  queries: Buffer[],
  timeoutMs = patienceMs,
): Promise<Buffer[]> {
  const socket = connect(to.port, to.address);
  return await askOver(socket, queries, timeoutMs);
}

export async function askTls(
  to: Endpoint,
  query: Buffer,
  ca: Buffer,
  name: string,
): Promise<Buffer> {
  const socket = connectTls({ host: to.address, port: to.port, ca, servername: name });
  await once(socket, 'secureConnect');
  const [answer] = await askOver(socket, [query], patienceMs);
  return answer as Buffer;
}

/** T-DNS by hand: `hello` in cleartext, then TLS on the same socket if the server accepts, then the query. */
export async function askStarttls(
  to: Endpoint,
  hello: Buffer,
  query: Buffer,
  ca: Buffer,
  name: string,
): Promise<{ reply: Buffer; answer: Buffer; tls: TLSSocket }> {
  const socket = connect(to.port, to.address);
  const reader = new FrameReader(socket);
  socket.write(frame(hello));
  const reply = await reader.next();
  reader.release();
  const tls = connectTls({ socket, ca, servername: name });
  await once(tls, 'secureConnect');
  const [answer] = await askOver(tls, [query], patienceMs);
  return { reply, answer: answer as Buffer, tls };
}

async function askOver(socket: Socket, queries: Buffer[], timeoutMs: number): Promise<Buffer[]> {
  try {
    return await collect(queries, timeoutMs, (deliver, failed) => {
      socket
        .once('error', failed)
        .once('close', () => failed(new Error('the connection was closed')));
      new FrameReader(socket).each(deliver);
      socket.write(Buffer.concat(queries.map(frame)));
    });
  } finally {
    socket.destroy();
  }
}

function collect(
  queries: Buffer[],
  timeoutMs: number,
  start: (deliver: (message: Buffer) => void, failed: (error: Error) => void) => void,
): Promise<Buffer[]> {
  const waiting = new Map(queries.map((query, index) => [query.readUInt16BE(0), index]));
  if (waiting.size !== queries.length) throw new Error('two queries share an id');
  const answers: Buffer[] = [];
  return new Promise((done, failed) => {
    const timer = setTimeout(
      () =>
        failed(
          new Error(
            `${waiting.size} of ${queries.length} queries unanswered after ${timeoutMs} ms`,
          ),
        ),
      timeoutMs,
    );
    const deliver = (message: Buffer) => {
      const id = message.readUInt16BE(0);
      const index = waiting.get(id);
      if (index === undefined) return failed(new Error(`an answer nobody waits for, id ${id}`));
      waiting.delete(id);
      answers[index] = message;
      if (waiting.size > 0) return;
      clearTimeout(timer);
      done(answers);
    };
    start(deliver, (error) => {
      clearTimeout(timer);
      failed(error);
    });
  });
}
