/** The programs of the demo, which are started in order and stopped in the opposite order. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { servicePaths } from '../../app/contract/service-paths.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { commandLine, inRoot, nodeFlags } from '../places.mjs';
import { boxedZone, type Carrier, startCarrier } from './carrier.ts';
import { freePortFrom } from './free-port.ts';
import { Program } from './program.ts';

const serverName = 'resolver.demo.example';
const serverProgram = inRoot('target', 'release', 'sotto-server');
const firstPort = 5300;
const patience = 60_000;
const retryAfter = 100;

export class Stage {
  port = 0;
  starttls = '';
  dot = '';
  /** only with EncDNS */
  carrier: Carrier | undefined;
  readonly #home: string;
  readonly #zoneFile: string;
  readonly #programs: Program[] = [];
  /** it may end before the demo does: when nobody looks at it */
  #page: Program | undefined;
  #service: ConnectedService | undefined;

  readonly #isBoxed: boolean;
  #boxKey = '';

  constructor(home: string, zoneFile: string, isBoxed: boolean) {
    this.#home = home;
    this.#zoneFile = zoneFile;
    this.#isBoxed = isBoxed;
  }

  async set(): Promise<void> {
    if (this.#isBoxed) await this.#makeKey();
    await this.#startServer();
    if (this.#isBoxed) {
      this.carrier = await startCarrier(this.#home, this.starttls);
      this.#programs.push(this.carrier.program);
    }
    await this.#startService();
  }

  showLog(): void {
    this.#startOurs('sotto log --follow', ['log', '--follow'], 'inherit');
  }

  /** Prints where the page is. */
  showPage(): void {
    this.#page = this.#start('sotto ui', ['ui', '--no-open'], 'inherit');
  }

  /** Throws when one of the programs ends before it should. */
  failure(): Promise<never> {
    return Promise.race(this.#programs.map((program) => program.failure()));
  }

  async status(): Promise<ServiceStatus> {
    if (!this.#service) throw new Error('the service was never reached');
    const answer = await this.#service.call('status.get', {});
    if (!answer.ok) throw new Error(`${answer.failure.message}; ${answer.failure.remedy}`);
    return answer.value;
  }

  async clear(): Promise<void> {
    this.#service?.close();
    await this.#page?.stop();
    for (const program of this.#programs.toReversed()) await program.stop();
  }

  async #makeKey(): Promise<void> {
    const words = ['encdns-key', '--zone', boxedZone, this.#keyFile];
    const making = new Program('sotto-server encdns-key', serverProgram, words);
    this.#boxKey = await making.line((line) => /key=([0-9a-f]{64})$/.exec(line)?.[1]);
    await making.ended;
  }

  get #keyFile(): string {
    return join(this.#home, 'boxes.key');
  }

  async #startServer(): Promise<void> {
    const boxes = ['--encdns', boxedZone, '--encdns-key', this.#keyFile];
    const server = new Program('sotto-server', serverProgram, [
      ...(this.#isBoxed ? boxes : []),
      ...['--zone', this.#zoneFile],
      ...['--starttls', '127.0.0.1:0'],
      ...['--dot', '127.0.0.1:0'],
      ...['--self-signed', serverName],
      ...['--certificate-out', join(this.#home, 'server.pem')],
      ...['--delay', '20ms'],
      // on loopback no address is forged
      ...['--udp-unproven', 'full'],
    ]);
    this.#programs.push(server);
    const ready = await server.line((line): { starttls: string[]; dot: string[] } =>
      JSON.parse(line),
    );
    this.starttls = ready.starttls[0] ?? '';
    this.dot = ready.dot[0] ?? '';
  }

  /** Looks for the next port where another program took the free one before the service did. */
  async #startService(): Promise<void> {
    for (let from = firstPort; ; from = this.port + 1) {
      this.port = await freePortFrom(from);
      await writeFile(servicePaths({}, this.#home).settingsFile, this.#settings());
      const program = this.#startOurs('sotto run', ['run'], 'pipe');
      this.#service = await this.#connect(program);
      if (this.#service !== undefined) return;
      if (!(await program.complained('is taken by another program'))) await program.failure();
      this.#programs.pop();
    }
  }

  #settings(): string {
    const server = { name: serverName, ca: 'server.pem' };
    const overTls = [
      { id: 'demo-tdns', transport: 'tdns', address: this.starttls, ...server },
      { id: 'demo-dot', transport: 'dot', address: this.dot, ...server },
    ];
    const boxes = { transport: 'encdns', zone: boxedZone, key: this.#boxKey };
    const boxed = [{ id: 'demo-boxes', address: this.carrier?.address, ...boxes }];
    const upstreams = this.#isBoxed ? boxed : overTls;
    return JSON.stringify({ listen: [`127.0.0.1:${this.port}`], upstreams });
  }

  #startOurs(name: string, args: string[], output: 'pipe' | 'inherit'): Program {
    const program = this.#start(name, args, output);
    this.#programs.push(program);
    return program;
  }

  #start(name: string, args: string[], output: 'pipe' | 'inherit'): Program {
    return new Program(name, process.execPath, [...nodeFlags, commandLine(), ...args], {
      stdio: ['ignore', output, output],
      env: { ...process.env, SOTTO_HOME: this.#home },
    });
  }

  /** undefined: the program ended before it could be reached */
  async #connect(program: Program): Promise<ConnectedService | undefined> {
    const deadline = Date.now() + patience;
    const socket = servicePaths({}, this.#home).controlSocket;
    while (program.running) {
      const service = await connectToService(socket, 'demo');
      if (service.ok) return service.value;
      if (Date.now() > deadline) throw new Error(service.failure.message);
      await new Promise((resolve) => setTimeout(resolve, retryAfter));
    }
    return undefined;
  }
}
