/** sotto-server on the far machine: what everybody asks, over TLS, STARTTLS and in clear. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate, sottoServer } from '../../rig/available.ts';
import type { Lab } from '../../rig/lab.ts';
import { farAddress } from '../../rig/network/link.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import { type Program as Process, succeed } from '../../rig/process.ts';

/** Any name below has an address. */
export const zone = 'far.example';
const serverName = `dns.${zone}`;

export interface UpstreamOptions {
  /** after which a connection is closed, such as 2s */
  idle?: string;
  /** before each answer, such as 5ms-45ms: as if it had to be found first */
  delay?: string;
  /** one question of a connection at a time, in order */
  inOrder?: boolean;
  /** what plain UDP gets without a cookie of the server's; full, if left out */
  unproven?: 'full' | 'truncated';
  /** questions may come with the first flight of a resumed handshake */
  earlyData?: boolean;
  /** lines of the zone besides the wildcard */
  records?: string;
}

/** As every program needs to know it. */
export interface Trusted {
  address: string;
  name: string;
  /** PEM file */
  ca: string;
}

export class Upstream {
  readonly trusted: Trusted;
  readonly #far: Namespace;
  readonly #args: string[];
  #process: Process | undefined;

  static async start(lab: Lab, far: Namespace, options: UpstreamOptions): Promise<Upstream> {
    const identity = await selfSigned(lab);
    const zoneFile = join(lab.directory, 'far.zone');
    await writeFile(zoneFile, `${zoneText}${options.records ?? ''}`);
    const trusted = { address: farAddress.v4, name: serverName, ca: identity.certificate };
    const args = serverArguments(zoneFile, identity, options);
    const upstream = lab.adopt(new Upstream(far, trusted, args));
    await upstream.start();
    return upstream;
  }

  private constructor(far: Namespace, trusted: Trusted, args: string[]) {
    this.#far = far;
    this.trusted = trusted;
    this.#args = args;
  }

  get pid(): number {
    if (this.#process === undefined) throw new Error('the server is not running');
    return this.#process.pid;
  }

  async start(): Promise<void> {
    const server = await this.#far.start(sottoServer, this.#args);
    await server.ready(async () => /^\{.*\}$/m.test(server.stdout));
    this.#process = server;
  }

  /** Without its keys for tickets: whoever comes next makes a full handshake. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  transcript(): string {
    return this.#process?.transcript() ?? '';
  }
}

interface Identity {
  /** PEM files */
  certificate: string;
  key: string;
}

/** The name twice: smartdns reads only the common name. */
async function selfSigned({ directory }: Lab): Promise<Identity> {
  const identity = { certificate: join(directory, 'far.pem'), key: join(directory, 'far.key') };
  await succeed(locate('openssl'), [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', identity.key, '-out', identity.certificate, '-days', '2'],
    ...['-subj', `/CN=${serverName}`],
    ...['-addext', `subjectAltName=DNS:${serverName},IP:${farAddress.v4}`],
  ]);
  return identity;
}

function serverArguments(zoneFile: string, identity: Identity, options: UpstreamOptions): string[] {
  return [
    ...['--zone', zoneFile, '--origin', zone, '--threads', '1'],
    ...['--starttls', farAddress.v4, '--dot', farAddress.v4],
    // the yardstick asks in clear without cookies
    ...['--udp-unproven', options.unproven ?? 'full'],
    ...(options.earlyData ? ['--early-data'] : []),
    ...['--certificate', identity.certificate, '--key', identity.key],
    ...['--idle', options.idle ?? '60s', '--delay', options.delay ?? '0ms'],
    ...(options.inOrder ? ['--limit-in-flight', '1'] : []),
  ];
}

const zoneText = `$TTL 300
@ SOA ns hostmaster 1 3600 900 86400 60
@ NS ns
ns A 203.0.113.7
* A 203.0.113.7
`;
