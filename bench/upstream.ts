/**
 * The upstream of every program: dnsdist, which responds to each name with one address by itself. It has no server behind it, so
 * that it takes as little as possible of the processor time that the measured program needs.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Identity, selfSigned } from '../e2e/rig/certificates.ts';
import { encodeQuery, parse } from '../e2e/rig/message.ts';
import { freePort } from '../e2e/rig/ports.ts';
import { Program } from '../e2e/rig/process.ts';
import { askUdp } from '../e2e/rig/raw-client.ts';
import { programPath } from './debian.ts';
import type { TrustedServer } from './peer.ts';

export const name = 'dns.bench.example';
/** so long that nothing expires during a measurement */
const ttl = 86_400;

interface Ports {
  plain: number;
  tls: number;
  https: number;
  web: number;
}

export class Upstream {
  readonly server: TrustedServer;
  readonly #metrics: string;
  readonly #program: Program;

  static async start(directory: string): Promise<Upstream> {
    const ports: Ports = {
      plain: await freePort(),
      tls: await freePort(),
      https: await freePort(),
      web: await freePort(),
    };
    const identity = await upstreamIdentity(directory);
    const configuration = join(directory, 'upstream.conf');
    await writeFile(configuration, upstreamConfiguration(ports, identity));
    const options = ['-C', configuration, '--supervised', '--disable-syslog'];
    const program = await Program.start(programPath('dnsdist'), options);
    await program.ready(async () => {
      const to = { address: '127.0.0.1', port: ports.plain };
      return parse(await askUdp(to, encodeQuery('ready.example', 'A'), 500)).answers.length === 1;
    });
    const { tls: port, https: httpsPort, web } = ports;
    const server = { address: '127.0.0.1', port, httpsPort, name, ca: identity.certificate };
    return new Upstream(server, `http://127.0.0.1:${web}/metrics`, program);
  }

  private constructor(server: TrustedServer, metrics: string, program: Program) {
    this.server = server;
    this.#metrics = metrics;
    this.#program = program;
  }

  /** Queries that it has received so far, that is, those that no cache had. */
  async answered(): Promise<number> {
    const metrics = await (await fetch(this.#metrics)).text();
    return Number(/^dnsdist_self_answered (\d+)$/m.exec(metrics)?.[1]);
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }
}

/** The name stands in the certificate twice, because smartdns reads only the common name. */
export async function upstreamIdentity(directory: string): Promise<Identity> {
  const holder = { for: [`DNS:${name}`, 'IP:127.0.0.1'], commonName: name };
  return await selfSigned({ directory }, holder);
}

function upstreamConfiguration(
  { plain, tls, https, web }: Ports,
  { certificate, key }: Identity,
): string {
  const unused = '127.0.0.1:9';
  return [
    `setLocal("127.0.0.1:${plain}")`,
    `addTLSLocal("127.0.0.1:${tls}", "${certificate}", "${key}", { maxInFlight = 1000 })`,
    `addDOHLocal("127.0.0.1:${https}", "${certificate}", "${key}")`,
    `newServer({ address = "${unused}", healthCheckMode = "up" })`,
    `addAction(AllRule(), SpoofAction("203.0.113.7", { ra = true, aa = false, ttl = ${ttl} }))`,
    // dnscrypt-proxy asks for name servers before it starts, and wants to hear that a name of its own does not exist.
    'addAction("test.dnscrypt.", RCodeAction(DNSRCode.NXDOMAIN, { ra = true, aa = false }))',
    'addAction(AllRule(), RCodeAction(DNSRCode.NOERROR, { ra = true, aa = false }))',
    `webserver("127.0.0.1:${web}")`,
    'setWebserverConfig({ acl = "127.0.0.1/32", statsRequireAuthentication = false })',
    'setSecurityPollSuffix("")',
  ].join('\n');
}
