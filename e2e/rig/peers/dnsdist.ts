/** dnsdist: a load balancer in front of an authoritative server, over UDP, TCP and TLS. */
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

interface DnsdistOptions {
  identity: Identity;
  backend: Endpoint;
  /** a name that the backend answers, for the readiness probe */
  probe: string;
}

export class Dnsdist extends SecurePeer {
  readonly #metrics: string;

  static async start(lab: Lab, options: DnsdistOptions): Promise<Dnsdist> {
    const plain = { address: '127.0.0.1', port: await freePort() };
    const tls = { address: '127.0.0.1', port: await freePort() };
    const web = await freePort();
    const directory = join(lab.directory, `dnsdist-${plain.port}`);
    await mkdir(directory);
    const configuration = join(directory, 'dnsdist.conf');
    await writeFile(configuration, dnsdistConfiguration(plain, tls, web, options));
    const program = await Program.start(locate('dnsdist'), [
      '-C',
      configuration,
      '--supervised',
      '--disable-syslog',
    ]);
    const dnsdist = lab.adopt(new Dnsdist(plain, tls, `http://127.0.0.1:${web}/metrics`, program));
    await program.ready(async () => {
      const answer = parse(await askUdp(plain, encodeQuery(options.probe, 'A'), 500));
      return answer.rcode === rcodes.NOERROR;
    });
    return dnsdist;
  }

  private constructor(plain: Endpoint, tls: Endpoint, metrics: string, program: Program) {
    super(plain, tls, program);
    this.#metrics = metrics;
  }

  /** A counter of the TLS listener, such as `dnsdist_frontend_tlsresumptions`. */
  async tlsCounter(name: string): Promise<number> {
    const metrics = await (await fetch(this.#metrics)).text();
    const listener = `${this.tls.address}:${this.tls.port}`;
    const found = metrics
      .split('\n')
      .find((line) => line.startsWith(`${name}{`) && line.includes(listener));
    if (found === undefined) throw new Error(`dnsdist has no counter ${name} for ${listener}`);
    return Number(found.slice(found.lastIndexOf(' ')));
  }
}

function dnsdistConfiguration(
  plain: Endpoint,
  tls: Endpoint,
  web: number,
  options: DnsdistOptions,
): string {
  const { identity, backend } = options;
  return [
    `setLocal("${plain.address}:${plain.port}")`,
    `addTLSLocal("${tls.address}:${tls.port}", "${identity.certificate}", "${identity.key}", { maxInFlight = 1000 })`,
    `newServer({ address = "${backend.address}:${backend.port}", healthCheckMode = "up" })`,
    `webserver("127.0.0.1:${web}")`,
    'setWebserverConfig({ acl = "127.0.0.1/32", statsRequireAuthentication = false })',
    'setSecurityPollSuffix("")',
    // not the two seconds of its own, which a busy computer takes between two queries
    'setTCPRecvTimeout(60)',
  ].join('\n');
}
