/** What an observer on an interface sees, decoded by tshark and not by our own code. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate, tshark } from '../available.ts';
import { eventually } from '../eventually.ts';
import type { Lab } from '../lab.ts';
import { type Program, succeed } from '../process.ts';
import type { Namespace } from './namespace.ts';

export interface ClearQuery {
  /** seconds since the epoch */
  at: number;
  /** lower case, without the last dot; the root is empty */
  name: string;
  /** number of the type */
  type: number;
  transport: 'udp' | 'tcp';
  /** the destination */
  to: string;
  port: number;
  /** `starttls` and `probe` (the root's NS) carry no user's name */
  kind: 'query' | 'starttls' | 'probe';
}

const fields = [
  'frame.time_epoch',
  'dns.qry.name',
  'dns.qry.type',
  'dns.qry.class',
  'ip.dst',
  'ipv6.dst',
  'udp.dstport',
  'tcp.dstport',
  'tcp.stream',
  'tcp.payload',
] as const;
/** RFC 9499 and 1035: types and classes as they are numbered */
const ns = 2;
const chaos = 3;
const separator = ';';

let count = 0;

export class Capture {
  readonly file: string;
  readonly #namespace: Namespace;
  readonly #program: Program;
  readonly #marker: { text: string; to: string };
  #finished = false;

  /** `reachable` is an address behind the interface; a datagram to its discard port marks the end. */
  static async start(
    lab: Lab,
    namespace: Namespace,
    device: string,
    reachable: string,
  ): Promise<Capture> {
    const file = join(lab.directory, `capture${++count}.pcap`);
    const options = ['-q', '-P', '-i', device, '-s', '65535', '-w', file];
    const program = await namespace.start(locate('dumpcap'), options);
    const marker = { text: randomUUID(), to: reachable };
    const capture = lab.adopt(new Capture(namespace, program, file, marker));
    await program.ready(async () => /^File: /m.test(program.stderr));
    return capture;
  }

  private constructor(
    namespace: Namespace,
    program: Program,
    file: string,
    marker: { text: string; to: string },
  ) {
    this.#namespace = namespace;
    this.#program = program;
    this.file = file;
    this.#marker = marker;
  }

  /** Ends it; everything sent before is in the file. The interface must be up. */
  async finish(): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    const { text, to } = this.#marker;
    await succeed(
      ...this.#namespace.inside('/bin/bash', ['-c', `echo ${text} > /dev/udp/${to}/9`]),
    );
    await eventually('the end is captured', async () => (await readFile(this.file)).includes(text));
    await this.#program.stop('SIGINT');
  }

  /** The queries in cleartext for names that somebody may have asked for: without those that only examine a path. Ends the capture. */
  async clearQueries(): Promise<ClearQuery[]> {
    return (await this.clearMessages()).filter(({ kind }) => kind === 'query');
  }

  /**
   * Every query that a client sent in cleartext, once: segments that TCP sent again are left out. Ends the capture. `ports`:
   * those on which DNS is spoken besides 53.
   */
  async clearMessages(ports: number[] = []): Promise<ClearQuery[]> {
    const query =
      'dns && dns.flags.response == 0 && !icmp && !icmpv6 && !tcp.analysis.retransmission';
    const toDns = [53, ...ports].map((port) => `tcp.dstport == ${port}`).join(' || ');
    // STARTTLS: a ClientHello and everything after it are no queries, even if they look like one
    const hello = 'tcp.payload[0:2] == 16:03 && tcp.payload[5:1] == 01';
    const packets = await this.rows(`(${query}) || ((${toDns}) && ${hello})`, fields, ports);
    const inTls = new Set<string>();
    return packets.flatMap((row) => {
      const [stream = '', payload = ''] = row.slice(-2);
      if (/^1603.{6}01/.test(payload)) inTls.add(stream);
      return stream !== '' && inTls.has(stream) ? [] : readQueries(row);
    });
  }

  /** tshark's fields of the packets that match its display filter. Ends the capture. */
  async rows(filter: string, wanted: readonly string[], ports: number[] = []): Promise<string[][]> {
    await this.finish();
    const stdout = await succeed(tshark, [
      ...['-n', '-r', this.file, '-Y', filter, '-T', 'fields'],
      ...['-E', 'occurrence=a', '-E', `aggregator=${separator}`],
      ...wanted.flatMap((field) => ['-e', field]),
      ...ports.flatMap((port) => ['udp', 'tcp'].flatMap((by) => ['-d', `${by}.port==${port},dns`])),
    ]);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => line.split('\t'));
  }

  async stop(): Promise<void> {
    await this.#program.stop('SIGINT');
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

/** One packet may hold several. */
function readQueries(row: string[]): ClearQuery[] {
  const [at = '', names = '', types = '', classes = '', v4, v6, udp, tcp] = row;
  const type = types.split(separator).map(Number);
  const classOf = classes.split(separator).map(Number);
  return names.split(separator).map((shown, index) => {
    const name = shown === '<Root>' ? '' : shown.toLowerCase();
    return {
      at: Number(at),
      name,
      type: type[index] ?? 0,
      transport: udp ? 'udp' : 'tcp',
      to: v4 || v6 || '',
      port: Number(udp || tcp),
      kind: kindOf(name, type[index], classOf[index]),
    };
  });
}

function kindOf(name: string, type?: number, inClass?: number): ClearQuery['kind'] {
  if (name === 'starttls' && inClass === chaos) return 'starttls';
  return name === '' && type === ns ? 'probe' : 'query';
}
