/** DNS-over-TLS servers with one name, each on one processor. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sottoServer } from '../../e2e/rig/available.ts';
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import {
  clause,
  secured,
  unboundConfiguration,
} from '../../e2e/rig/peers/unbound-configuration.ts';
import { freePort } from '../../e2e/rig/ports.ts';
import type { Program } from '../../e2e/rig/process.ts';
import { type Endpoint, text } from '../../e2e/rig/raw-client.ts';
import { writeZone } from '../../e2e/rig/zones/zone-file.ts';
import { fromDebian, packageVersion, programPath } from '../debian.ts';
import { loopback } from './network.ts';

export const name = 'www.example';
const address = '192.0.2.1';
/** The server's processor; everything else is on the other one. */
const processor = '0';
/** descriptors of one process, and so connections */
const descriptors = 20_000;

export interface Server {
  title: string;
  /** what readers must know to judge the figures */
  setup: string;
  /** the reason why it cannot be started here, or null */
  provide(): Promise<string | null>;
  version(): Promise<string>;
  /** the words of its command line, for TLS at this address and so many connections at a time; threads, where it may have more than one */
  command(
    lab: Lab,
    at: Endpoint,
    identity: Identity,
    places: number,
    threads: number,
  ): Promise<string[]>;
}

export const sotto: Server = {
  title: 'sotto-server',
  setup: 'zone file, one thread',
  provide: async () => null,
  version: async () => 'this commit',
  async command(lab, at, { certificate, key }, places, threads) {
    const { file } = await writeZone(lab, 'example', [`www A ${address}`]);
    const limits = ['--threads', String(threads), '--limit-connections', String(places)];
    const identity = ['--certificate', certificate, '--key', key];
    const zone = ['--zone', file, '--dot', text(at)];
    return [sottoServer, ...zone, ...identity, ...limits];
  },
};

export const unbound: Server = {
  title: 'unbound',
  setup: 'local data, one thread, `incoming-num-tcp`, no idle limit below a minute',
  provide: () => fromDebian('unbound', 'unbound'),
  version: () => packageVersion('unbound'),
  async command(lab, { address: ours, port }, identity, places) {
    const file = join(lab.directory, `unbound-${port}.conf`);
    const configuration = unboundConfiguration({
      interfaces: [`${ours}@${port}`],
      server: [
        'do-daemonize: no',
        'num-threads: 1',
        `incoming-num-tcp: ${places}`,
        'outgoing-range: 256',
        'tcp-idle-timeout: 60000',
        'access-control: 0.0.0.0/0 allow',
        'local-zone: "example." static',
        `local-data: "${name}. A ${address}"`,
        ...secured(port, identity),
      ],
    });
    await writeFile(file, configuration);
    return [programPath('unbound'), '-d', '-p', '-c', file];
  },
};

export const dnsdist: Server = {
  title: 'dnsdist',
  setup: 'the response is made by a rule, one thread for TCP, OpenSSL, no limit a client',
  provide: () => fromDebian('dnsdist', 'dnsdist'),
  version: () => packageVersion('dnsdist'),
  async command(lab, at, { certificate, key }, places) {
    const file = join(lab.directory, `dnsdist-${at.port}.conf`);
    await writeFile(
      file,
      [
        'setMaxTCPClientThreads(1)',
        'setMaxTCPQueuedConnections(20000)',
        'setTCPRecvTimeout(60)',
        'setSecurityPollSuffix("")',
        'setACL("0.0.0.0/0")',
        'setLocal("127.0.0.1:0")',
        `addTLSLocal("${text(at)}", "${certificate}", "${key}", { provider = "openssl", tcpListenQueueSize = 4096, maxConcurrentTCPConnections = ${places} })`,
        `addAction(AllRule(), SpoofAction("${address}"))`,
      ].join('\n'),
    );
    return [programPath('dnsdist'), '-C', file, '--supervised', '--disable-syslog'];
  },
};

const nsd: Server = {
  title: 'NSD',
  setup: 'zone file, one server process, `tcp-count`',
  provide: () => fromDebian('nsd', 'nsd'),
  version: () => packageVersion('nsd'),
  async command(lab, { address: ours, port }, { certificate, key }, places) {
    const zone = await writeZone(lab, 'example', [`www A ${address}`]);
    const directory = join(lab.directory, `nsd-${port}`);
    await mkdir(directory);
    const file = join(directory, 'nsd.conf');
    const server = [
      `ip-address: ${ours}@${port}`,
      `tls-port: ${port}`,
      `tls-service-key: "${key}"`,
      `tls-service-pem: "${certificate}"`,
      'username: ""',
      'chroot: ""',
      'database: ""',
      'pidfile: ""',
      'server-count: 1',
      `tcp-count: ${places}`,
      'tcp-timeout: 60',
      'rrl-ratelimit: 0',
      `zonesdir: "${directory}"`,
      `xfrdfile: "${directory}/xfrd.state"`,
      `zonelistfile: "${directory}/zone.list"`,
      `xfrdir: "${directory}"`,
    ];
    const zones = clause('zone', [`name: "${zone.name}"`, `zonefile: "${zone.file}"`]);
    const configuration = [...clause('server', server), ...zones, 'remote-control:'];
    await writeFile(file, [...configuration, '  control-enable: no'].join('\n'));
    return [programPath('nsd'), '-d', '-c', file];
  },
};

const knotResolver: Server = {
  title: 'Knot Resolver',
  setup: 'a hint, one instance',
  provide: () => fromDebian('kresd', 'knot-resolver'),
  version: () => packageVersion('knot-resolver'),
  async command(lab, { address: ours, port }, { certificate, key }) {
    const directory = join(lab.directory, `kresd-${port}`);
    await mkdir(directory);
    const file = join(directory, 'kresd.conf');
    await writeFile(
      file,
      [
        `net.tls('${certificate}', '${key}')`,
        `net.listen('${ours}', ${port}, { kind = 'tls' })`,
        'cache.size = 10 * MB',
        "trust_anchors.remove('.')",
        "modules.unload('ta_update')",
        "modules.unload('priming')",
        "modules.load('hints > iterate')",
        `hints['${name}'] = '${address}'`,
        'net.tcp_pipeline(10000)',
      ].join('\n'),
    );
    return [programPath('kresd'), '-n', '-c', file, directory];
  },
};

export const servers: readonly Server[] = [sotto, unbound, dnsdist, knotResolver, nsd];

export interface Started {
  port: number;
  program: Program;
}

/** Connections at a time, below the number of descriptors. */
const many = 18_500;

/** Ready when a client gets a response inside TLS, which `probe` finds out. */
export async function start(
  lab: Lab,
  server: Server,
  identity: Identity,
  probe: (port: number) => Promise<boolean>,
  places = many,
  processors = [processor],
  network = loopback,
): Promise<Started> {
  const port = await freePort();
  const at = { address: network.address, port };
  const command = await server.command(lab, at, identity, places, processors.length);
  const pinned = ['-c', processors.join(), 'prlimit', `--nofile=${descriptors}:${descriptors}`];
  const program = lab.adopt(await network.startServer('taskset', [...pinned, ...command]));
  await program.ready(() => probe(port));
  return { port, program };
}
