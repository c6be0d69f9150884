/**
 * sotto-server, the other end of the wire: over TLS, STARTTLS and in cleartext, on this machine or on one of the lab. It can
 * die, come back, and be replaced by an impostor.
 */
import { isIP } from 'node:net';
import { join } from 'node:path';
import { sottoServer } from '../available.ts';
import type { Identity } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import { freePort } from '../ports.ts';
import { Program } from '../process.ts';
import { type Endpoint, endpoint, text } from '../raw-client.ts';
import { farZone } from '../zones/far.ts';

export const serverName = 'dns.far.example';

export interface ServerOptions {
  /** a machine of the lab; this one, if left out */
  on?: { start(command: string, args: string[]): Promise<Program> };
  /** ports 53 and 853 of each; free ports of 127.0.0.1, if left out */
  addresses?: string[];
  /** the file of a zone, or the resolver behind it; any name below far.example, if left out */
  answers?: string | Endpoint;
  /** made anew at each start, if left out */
  identity?: Identity;
  /** the server's name then */
  name?: string;
  /** before each response, such as 20ms, or 5ms-45ms as if it had to look the name up */
  delay?: string;
  /** after which a connection is closed, such as 2s */
  idle?: string;
  /** one per processor, if left out */
  threads?: number;
  /** one query of a connection at a time, in order */
  inOrder?: boolean;
  /** the response to a plain UDP query without a server's cookie; by default it is full, because nobody forges an address here */
  unproven?: 'full' | 'truncated';
  /** queries may come with the first flight of a resumed handshake */
  earlyData?: boolean;
}

/** Where it listens, as it reports itself. */
interface Listening {
  starttls: string[];
  dot: string[];
}

let count = 0;

export class SottoServer {
  /** its name for settings and other programs */
  readonly name: string;
  /** PEM file to trust */
  readonly ca: string;
  readonly #options: ServerOptions;
  readonly #arguments: string[];
  readonly #ownCertificate: string;
  #listening: Listening;
  #program: Program | undefined;

  static async start(lab: Lab, options: ServerOptions = {}): Promise<SottoServer> {
    const answers = options.answers ?? (await farZone(lab));
    const certificate = join(lab.directory, `server${++count}.pem`);
    const listening = await whereItListens(options.addresses);
    const server = lab.adopt(new SottoServer(options, answers, certificate, listening));
    await server.start();
    return server;
  }

  private constructor(
    options: ServerOptions,
    answers: string | Endpoint,
    certificate: string,
    listening: Listening,
  ) {
    this.#listening = listening;
    this.name = options.name ?? serverName;
    this.ca = options.identity?.authority ?? certificate;
    this.#options = options;
    this.#arguments = serverArguments(options, answers);
    this.#ownCertificate = certificate;
  }

  get pid(): number {
    if (this.#program === undefined) throw new Error('the server is not running');
    return this.#program.pid;
  }

  get starttls(): Endpoint {
    return endpoint(this.#listening.starttls[0]);
  }

  get tls(): Endpoint {
    return endpoint(this.#listening.dot[0]);
  }

  /** Its entry in settings.json. */
  upstream(id: string, transport: 'dot' | 'tdns' = 'dot') {
    const { starttls, dot } = this.#listensAt();
    const [address = ''] = transport === 'dot' ? dot : starttls;
    return { id, transport, address, name: this.name, ca: this.ca };
  }

  /** Starts it where it was before it was killed. `identity`: an impostor in its place. */
  async start(identity = this.#options.identity): Promise<void> {
    const { on = Program } = this.#options;
    const { starttls, dot } = this.#listensAt();
    const program = await on.start(sottoServer, [
      ...['--starttls', ...starttls.map(bracketed), '--dot', ...dot.map(bracketed)],
      ...(identity === undefined ? this.#selfSigned() : certified(identity)),
      ...this.#arguments,
    ]);
    this.#program = program;
    const [line] = await program.ready(async () => /^\{.*\}$/m.exec(program.stdout));
    this.#listening = JSON.parse(line) as Listening;
  }

  /** Ends it without a close; its machine goes on, and refuses connections. */
  async kill(): Promise<void> {
    await this.#program?.stop('SIGKILL');
    this.#program = undefined;
  }

  /** Restarts it without its keys for tickets, so that each client makes a full handshake. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
    this.#program = undefined;
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }

  #listensAt(): Listening {
    const { addresses } = this.#options;
    return addresses === undefined ? this.#listening : { starttls: addresses, dot: addresses };
  }

  #selfSigned(): string[] {
    const names = [this.name, ...(this.#options.addresses ?? [])];
    return ['--self-signed', names.join(','), '--certificate-out', this.#ownCertificate];
  }
}

/** Ports that nobody else gets while the server is gone, unlike those that the system chooses. */
async function whereItListens(addresses?: string[]): Promise<Listening> {
  const own = async () => addresses ?? [`127.0.0.1:${await freePort()}`];
  return { starttls: await own(), dot: await own() };
}

function serverArguments(options: ServerOptions, answers: string | Endpoint): string[] {
  const { threads, delay, idle } = options;
  return [
    ...(typeof answers === 'string' ? ['--zone', answers] : ['--to', text(answers)]),
    ...['--udp-unproven', options.unproven ?? 'full'],
    ...(threads === undefined ? [] : ['--threads', `${threads}`]),
    ...(delay === undefined ? [] : ['--delay', delay]),
    ...(idle === undefined ? [] : ['--idle', idle]),
    ...(options.inOrder ? ['--limit-in-flight', '1'] : []),
    ...(options.earlyData ? ['--early-data'] : []),
  ];
}

function certified({ certificate, key }: Identity): string[] {
  return ['--certificate', certificate, '--key', key];
}

function bracketed(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
