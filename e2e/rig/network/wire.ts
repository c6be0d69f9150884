/** The cable between two namespaces, and orders to it: each promise resolves once the order is in force. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sottoLab } from '../available.ts';
import type { Lab } from '../lab.ts';
import { Program } from '../process.ts';

export type Direction = 'a-to-b' | 'b-to-a';

/** Values that are left out stay as they are. */
export interface Shape {
  /** both, if left out */
  direction?: Direction;
  /** one way; a round trip takes it twice */
  delayMs?: number;
  jitterMs?: number;
  lossPercent?: number;
  reorderPercent?: number;
  reorderByMs?: number;
  /** 0 is unlimited */
  rateMbit?: number;
  queuePackets?: number;
}

/** Fields that are left out match everything; port and address are those of either side. */
export interface Match {
  protocol?: 'tcp' | 'udp' | 'icmp';
  direction?: Direction;
  port?: number;
  address?: string;
}

/** `sotto-lab wire --help` says what each one does. */
export type Action =
  | 'pass'
  | 'drop'
  | { reset: 'sender' | 'receiver' | 'both' }
  | { reject: 'port' | 'host' | 'admin' }
  | { delay: { ms: number } }
  | 'no-tls'
  | { 'syn-data': 'drop' | 'strip' }
  | 'strip-starttls'
  | { 'strip-tls': 'alert' | 'garbage' | 'reset' }
  | { inject: { answer: string; wrongId?: boolean } }
  | { kill: { afterOctets: number } };

export interface Rule {
  do: Action;
  on?: Match;
}

interface DirectionStats {
  received: number;
  delivered: number;
  octets: number;
  lost: number;
  overflowed: number;
  heldBack: number;
  stopped: number;
  forged: number;
  oversize: number;
  undelivered: number;
  missed: number;
  /** how much after its due time each packet left; null before the first */
  latenessMs: { mean: number; p50: number; p99: number; max: number } | null;
}

export interface WireStats {
  aToB: DirectionStats;
  bToA: DirectionStats;
  /** packets that each rule matched */
  hits: number[];
  onTheirWay: number;
}

interface WireOptions {
  /** `NAMESPACE:INTERFACE`, as for `sotto-lab wire` */
  a: string;
  b: string;
  /** the stations' own interfaces */
  plain: string[];
  seed?: number;
}

type Answer = { event: 'applied' | 'stats' | 'refused'; error?: string } & WireStats;

let count = 0;

export class Wire {
  readonly #program: Program;
  readonly #socket: Socket;
  /** answers come in the order of the orders */
  readonly #waiting: ((answer: Answer) => void)[] = [];

  static async start(lab: Lab, { a, b, plain, seed = 1 }: WireOptions): Promise<Wire> {
    const control = join(lab.directory, `wire${++count}.sock`);
    const program = await Program.start(sottoLab, [
      ...['wire', '--a', a, '--b', b, '--plain', ...plain],
      ...['--seed', String(seed), '--control', control],
    ]);
    await program.ready(async () => program.stdout.includes('"ready"'));
    const socket = connect(control);
    await once(socket, 'connect');
    return lab.adopt(new Wire(program, socket));
  }

  private constructor(program: Program, socket: Socket) {
    this.#program = program;
    this.#socket = socket;
    createInterface(socket).on('line', (line) => this.#waiting.shift()?.(JSON.parse(line)));
    socket.on('error', () => socket.destroy());
    const gone = `the wire has ended: ${program.name}`;
    socket.once('close', () => {
      for (const answered of this.#waiting.splice(0))
        answered({ event: 'refused', error: gone } as Answer);
    });
  }

  async set(shape: Shape): Promise<void> {
    await this.#order({ set: shape });
  }

  /** Replaces the rules before; without any rule everything passes. */
  async rules(...rules: Rule[]): Promise<void> {
    await this.#order({ rules });
  }

  /** Resets the established connections that match, on both sides. */
  async cut(match: Pick<Match, 'port' | 'address'> = {}): Promise<void> {
    await this.#order({ cut: match });
  }

  /** From now on the n-th datagram has the same fate as the n-th datagram of any run with this number. */
  async reseed(seed: number): Promise<void> {
    await this.#order({ seed });
  }

  async stats(): Promise<WireStats> {
    return await this.#order({ stats: true });
  }

  async stop(): Promise<void> {
    this.#socket.destroy();
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }

  async #order(order: object): Promise<WireStats> {
    if (this.#socket.destroyed) throw new Error(`the wire has ended\n${this.transcript()}`);
    const answer = await new Promise<Answer>((answered) => {
      this.#waiting.push(answered);
      this.#socket.write(`${JSON.stringify(order)}\n`);
    });
    if (answer.event === 'refused') throw new Error(`${answer.error}: ${JSON.stringify(order)}`);
    return answer;
  }
}
