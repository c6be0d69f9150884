/**
 * No packaged server speaks DNS STARTTLS, so this one sends the recorded 58 octets of an accepting server and then hands the
 * stream to the TLS listener of another program. It keeps every octet that came before TLS, because there a name would leak,
 * and it can misbehave as networks do.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { FrameReader, frame } from '../framing.ts';
import type { Lab } from '../lab.ts';
import type { Endpoint } from '../raw-client.ts';

/** The dummy query (RD=0, `STARTTLS.` CH TXT, OPT with TO), and the responses of accepting and declining servers. */
export const recorded = {
  hello: octets(
    '1a2b 0000 0001 0000 0000 0001 08 5354415254544c53 00 0010 0003 00 0029 1000 00 00 4000 0000',
  ),
  accept: octets(`1a2b 8000 0001 0001 0000 0001 08 5354415254544c53 00 0010 0003
    c00c 0010 0003 00000000 0009 08 5354415254544c53 00 0029 1000 00 00 4000 0000`),
  decline: octets(`1a2b 8000 0001 0001 0000 0001 08 5354415254544c53 00 0010 0003
    c00c 0010 0003 00000000 0007 06 4e4f5f544c53 00 0029 1000 00 00 0000 0000`),
  refuse: octets(
    '1a2b 8005 0001 0000 0000 0001 08 5354415254544c53 00 0010 0003 00 0029 1000 00 00 0000 0000',
  ),
} as const;

export type Manner =
  | 'accept'
  /** no STARTTLS at all: a cable in front of a TLS listener that can be cut */
  | 'plain splice'
  | 'NO_TLS'
  | 'REFUSED'
  /** no reply at all */
  | 'silence'
  /** octets in the same segment as the reply, before the client's hello (CVE-2011-0411's class) */
  | 'injection'
  | 'wrong id'
  /** accepts, then eats every octet of the handshake, as a middlebox does */
  | 'handshake eaten'
  /** closes the connection instead of replying */
  | 'close';

/** One connection, as seen before TLS. */
export interface Visit {
  clear: Buffer;
  /** the first octet after an accepting reply: 0x16 starts a TLS handshake */
  firstAfterReply: number | null;
}

export class StarttlsShim {
  readonly endpoint: Endpoint;
  readonly visits: Visit[] = [];
  manner: Manner;
  readonly #server: Server;
  readonly #backend: Endpoint;
  readonly #sockets = new Set<Socket>();

  static async start(
    lab: Lab,
    backend: Endpoint,
    manner: Manner = 'accept',
  ): Promise<StarttlsShim> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return lab.adopt(new StarttlsShim(server, backend, manner));
  }

  private constructor(server: Server, backend: Endpoint, manner: Manner) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the shim has no port');
    this.endpoint = { address: '127.0.0.1', port: address.port };
    this.manner = manner;
    this.#server = server;
    this.#backend = backend;
    server.on('connection', (socket) => void this.#serve(this.#watch(socket)));
  }

  /** Everything that any client sent in cleartext, in one piece. */
  get clear(): Buffer {
    return Buffer.concat(this.visits.map((visit) => visit.clear));
  }

  /** Cuts every open connection, as a server that restarts does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((done) => this.#server.close(done));
  }

  async #serve(socket: Socket): Promise<void> {
    const visit: Visit = { clear: Buffer.alloc(0), firstAfterReply: null };
    this.visits.push(visit);
    if (this.manner === 'plain splice') return this.#handOver(socket, Buffer.alloc(0), visit);
    const record = (chunk: Buffer) => {
      visit.clear = Buffer.concat([visit.clear, chunk]);
    };
    socket.on('data', record);
    const reader = new FrameReader(socket);
    const hello = await reader.next().catch(() => null);
    if (hello === null) return;
    const reply = replyTo(hello, this.manner);
    if (this.manner === 'close') socket.destroy();
    if (reply === null) return;
    if (this.manner === 'accept' || this.manner === 'handshake eaten') {
      socket.off('data', record);
      this.#handOver(socket, reader.release(), visit);
    }
    socket.write(reply);
  }

  #handOver(socket: Socket, early: Buffer, visit: Visit): void {
    socket.once('data', (chunk: Buffer) => {
      visit.firstAfterReply = chunk[0] ?? null;
    });
    if (this.manner === 'handshake eaten') {
      socket.resume();
      return;
    }
    const backend = this.#watch(connect(this.#backend.port, this.#backend.address));
    backend.write(early);
    socket.pipe(backend).pipe(socket);
    socket.once('close', () => backend.destroy());
    backend.once('close', () => socket.destroy());
  }

  #watch(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
    return socket.setNoDelay(true);
  }
}

/** The framed response as octets, with the query's id; null where none is sent. */
function replyTo(hello: Buffer, manner: Manner): Buffer | null {
  if (manner === 'silence' || manner === 'close') return null;
  const recordedReply =
    { NO_TLS: recorded.decline, REFUSED: recorded.refuse }[manner as string] ?? recorded.accept;
  const reply = Buffer.from(recordedReply);
  reply.writeUInt16BE(hello.readUInt16BE(0) ^ (manner === 'wrong id' ? 0x5555 : 0), 0);
  return manner === 'injection'
    ? Buffer.concat([frame(reply), Buffer.from('injected before TLS')])
    : frame(reply);
}

function octets(hex: string): Buffer {
  return Buffer.from(hex.replace(/\s/g, ''), 'hex');
}
