/** A relay on UDP and TCP in front of a plain resolver that notes every query in cleartext. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { FrameReader, frame } from '../framing.ts';
import type { Lab } from '../lab.ts';
import { nameAsked, parse } from '../message.ts';
import { freePort } from '../ports.ts';
import type { Endpoint } from '../raw-client.ts';

/** RFC 1035, section 4.1.1 */
const headerOctets = 12;

export class PlainTap {
  readonly endpoint: Endpoint;
  /** names, lower case, in order */
  readonly names: string[] = [];
  /** each once, in hexadecimal: a resolver asks again what is not answered soon */
  readonly questions = new Set<string>();
  /** ports the datagrams came from */
  readonly clientPorts = new Set<number>();
  readonly #udp: UdpSocket;
  readonly #tcp: Server;
  readonly #behind: Endpoint;

  /** `at`: a free port of 127.0.0.1, if left out */
  static async start(lab: Lab, behind: Endpoint, at?: Endpoint): Promise<PlainTap> {
    const endpoint = at ?? { address: '127.0.0.1', port: await freePort() };
    const udp = createSocket('udp4').bind(endpoint.port, endpoint.address);
    await once(udp, 'listening');
    const tcp = createServer().listen(endpoint.port, endpoint.address);
    await once(tcp, 'listening');
    return lab.adopt(new PlainTap(endpoint, behind, udp, tcp));
  }

  private constructor(endpoint: Endpoint, behind: Endpoint, udp: UdpSocket, tcp: Server) {
    this.endpoint = endpoint;
    this.#behind = behind;
    this.#udp = udp;
    this.#tcp = tcp;
    udp.on('message', (query, from) => {
      this.clientPorts.add(from.port);
      this.#relay(query, (answer) => udp.send(answer, from.port, from.address));
    });
    tcp.on('connection', (client) => {
      const server = connect(behind.port, behind.address);
      for (const socket of [client, server]) socket.on('error', () => socket.destroy());
      client.once('close', () => server.destroy());
      server.pipe(client);
      new FrameReader(client).each((query) => {
        this.#note(query);
        server.write(frame(query));
      });
    });
  }

  async stop(): Promise<void> {
    await Promise.all([
      new Promise<void>((done) => this.#udp.close(done)),
      new Promise((done) => this.#tcp.close(done)),
    ]);
  }

  #note(query: Buffer): void {
    this.names.push(nameAsked(query));
    this.questions.add(query.toString('hex', headerOctets, parse(query).questionEnd));
  }

  #relay(query: Buffer, reply: (answer: Buffer) => void): void {
    this.#note(query);
    const socket = createSocket('udp4');
    socket.once('message', (answer) => {
      reply(answer);
      socket.close();
    });
    socket.unref();
    socket.send(query, this.#behind.port, this.#behind.address);
  }
}
