/** NSD: authoritative, over UDP, TCP and (with an identity) TLS. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../available.ts';
import type { Identity } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import { encodeQuery, parse } from '../message.ts';
import { freePort } from '../ports.ts';
import { Program } from '../process.ts';
import { askUdp, type Endpoint } from '../raw-client.ts';
import type { Zone } from '../zones/zone-file.ts';
import { SecurePeer } from './secure-peer.ts';

interface NsdOptions {
  /** of UDP and TCP; a free port of 127.0.0.1, if left out */
  at?: Endpoint;
  /** of TLS, with an identity; a free port of 127.0.0.1, if left out */
  tls?: Endpoint;
  zones: Zone[];
  identity?: Identity;
}

export class Nsd extends SecurePeer {
  static async start(lab: Lab, options: NsdOptions): Promise<Nsd> {
    const plain = options.at ?? { address: '127.0.0.1', port: await freePort() };
    const tls = options.tls ?? { address: '127.0.0.1', port: await freePort() };
    const directory = join(lab.directory, `nsd-${plain.port}`);
    await mkdir(directory);
    const configuration = join(directory, 'nsd.conf');
    await writeFile(configuration, nsdConfiguration(directory, plain, tls, options));
    const program = await Program.start(locate('nsd'), ['-d', '-c', configuration]);
    const nsd = lab.adopt(new Nsd(plain, tls, program, configuration));
    const soa = options.zones[0]?.name ?? '';
    await program.ready(
      async () => parse(await askUdp(plain, encodeQuery(soa, 'SOA'), 500)).rcode === 0,
    );
    return nsd;
  }

  readonly #configuration: string;

  private constructor(plain: Endpoint, tls: Endpoint, program: Program, configuration: string) {
    super(plain, tls, program);
    this.#configuration = configuration;
  }

  /** A counter of nsd-control's `stats_noreset`, such as `num.tls`. */
  async counter(name: string): Promise<number> {
    return await this.counterOf('nsd-control', this.#configuration, name);
  }
}

function nsdConfiguration(
  directory: string,
  plain: Endpoint,
  tls: Endpoint,
  { zones, identity }: NsdOptions,
): string {
  const secure = identity && [
    `  ip-address: ${tls.address}@${tls.port}`,
    `  tls-port: ${tls.port}`,
    `  tls-service-key: "${identity.key}"`,
    `  tls-service-pem: "${identity.certificate}"`,
  ];
  return [
    'server:',
    `  ip-address: ${plain.address}@${plain.port}`,
    ...(secure ?? []),
    '  username: ""',
    '  chroot: ""',
    '  database: ""',
    '  pidfile: ""',
    '  server-count: 1',
    '  tcp-count: 200',
    '  tcp-timeout: 60',
    '  rrl-ratelimit: 0',
    `  zonesdir: "${directory}"`,
    `  xfrdfile: "${directory}/xfrd.state"`,
    `  zonelistfile: "${directory}/zone.list"`,
    `  xfrdir: "${directory}"`,
    'remote-control:',
    '  control-enable: yes',
    `  control-interface: "${directory}/control"`,
    ...zones.flatMap((zone) => ['zone:', `  name: "${zone.name}"`, `  zonefile: "${zone.file}"`]),
  ].join('\n');
}
