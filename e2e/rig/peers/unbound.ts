/** unbound: a recursive resolver that finds the zones of a test at an authoritative server, over UDP, TCP and TLS. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../available.ts';
import type { Identity } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import { encodeQuery, parse, rcodes } from '../message.ts';
import { freePort } from '../ports.ts';
import { Program } from '../process.ts';
import { askUdp, type Endpoint } from '../raw-client.ts';
import { SecurePeer } from './secure-peer.ts';
import { secured, unboundConfiguration, zoneElsewhere } from './unbound-configuration.ts';

interface UnboundOptions {
  identity: Identity;
  /** zone name → where it is served */
  stubs: Record<string, Endpoint>;
  /** the server for everything else, and for all names where `stubs` is empty */
  forward?: Endpoint;
  /** the ports of one that was stopped, to come back there */
  ports?: { plain: Endpoint; tls: Endpoint };
}

export class Unbound extends SecurePeer {
  readonly #configuration: string;

  static async start(lab: Lab, options: UnboundOptions): Promise<Unbound> {
    const plain = options.ports?.plain ?? { address: '127.0.0.1', port: await freePort() };
    const tls = options.ports?.tls ?? { address: '127.0.0.1', port: await freePort() };
    const directory = join(lab.directory, `unbound-${plain.port}`);
    await mkdir(directory, { recursive: true });
    const configuration = join(directory, 'unbound.conf');
    await writeFile(configuration, configurationOf(directory, plain, tls, options));
    const program = await Program.start(locate('unbound'), ['-d', '-p', '-c', configuration]);
    const unbound = lab.adopt(new Unbound(plain, tls, program, configuration));
    await program.ready(
      async () =>
        parse(await askUdp(plain, encodeQuery('localhost', 'A'), 500)).rcode === rcodes.NOERROR,
    );
    return unbound;
  }

  private constructor(plain: Endpoint, tls: Endpoint, program: Program, configuration: string) {
    super(plain, tls, program);
    this.#configuration = configuration;
  }

  /** A counter of unbound-control's `stats_noreset`, such as `num.query.tls.resume`. */
  async counter(name: string): Promise<number> {
    return await this.counterOf('unbound-control', this.#configuration, name);
  }
}

function configurationOf(
  directory: string,
  plain: Endpoint,
  tls: Endpoint,
  { identity, stubs, forward }: UnboundOptions,
): string {
  return unboundConfiguration({
    interfaces: [plain, tls].map(at),
    control: directory,
    server: [
      'verbosity: 1',
      'extended-statistics: yes',
      `directory: "${directory}"`,
      'do-daemonize: no',
      ...secured(tls.port, identity),
      'incoming-num-tcp: 200',
      'outgoing-num-tcp: 100',
      'num-queries-per-thread: 4096',
      'do-not-query-localhost: no',
      'rrset-roundrobin: no',
      'root-hints: ""',
    ],
    clauses: [
      ...Object.entries(stubs).flatMap(([zone, server]) =>
        zoneElsewhere('stub', zone, `stub-addr: ${at(server)}`),
      ),
      ...(forward ? zoneElsewhere('forward', '.', `forward-addr: ${at(forward)}`) : []),
    ],
  });
}

function at({ address, port }: Endpoint): string {
  return `${address}@${port}`;
}
