/** Knot Resolver as a forwarder to an authoritative server, over UDP, TCP and TLS. */
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

interface KnotResolverOptions {
  identity: Identity;
  backend: Endpoint;
  /** a name that the backend answers, for the readiness probe */
  probe: string;
}

export class KnotResolver extends SecurePeer {
  static async start(lab: Lab, options: KnotResolverOptions): Promise<KnotResolver> {
    const plain = { address: '127.0.0.1', port: await freePort() };
    const tls = { address: '127.0.0.1', port: await freePort() };
    const directory = join(lab.directory, `kresd-${plain.port}`);
    await mkdir(directory);
    const configuration = join(directory, 'kresd.conf');
    await writeFile(configuration, kresdConfiguration(plain, tls, options));
    const program = await Program.start(locate('kresd'), ['-n', '-c', configuration, directory]);
    const resolver = lab.adopt(new KnotResolver(plain, tls, program));
    await program.ready(async () => {
      const answer = parse(await askUdp(plain, encodeQuery(options.probe, 'A'), 1000));
      return answer.rcode === rcodes.NOERROR;
    });
    return resolver;
  }
}

function kresdConfiguration(
  plain: Endpoint,
  tls: Endpoint,
  { identity, backend }: KnotResolverOptions,
): string {
  return [
    `net.listen('${plain.address}', ${plain.port}, { kind = 'dns' })`,
    `net.tls('${identity.certificate}', '${identity.key}')`,
    `net.listen('${tls.address}', ${tls.port}, { kind = 'tls' })`,
    'cache.size = 10 * MB',
    "trust_anchors.remove('.')",
    "modules.unload('ta_update')",
    "modules.unload('priming')",
    `policy.add(policy.all(policy.STUB({ '${backend.address}@${backend.port}' })))`,
  ].join('\n');
}
