/** dnscrypt-proxy: the one of the path, or Debian's. It speaks no DNS over TLS, so it reaches the same server over HTTPS. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Program, succeed } from '../../e2e/rig/process.ts';
import { fromDebian, programPath } from '../debian.ts';
import { cacheEntries, type Peer, type Place, type TrustedServer } from '../peer.ts';

export const dnscryptProxy: Peer = {
  id: 'dnscrypt-proxy',
  title: 'dnscrypt-proxy',
  kind: 'peer',
  caches: true,
  forwards: true,
  overHttps: true,
  setup:
    'DNS over HTTPS, as it speaks no DNS over TLS; a Go thread per processor (default); cache raised from 4,096 entries, clients from 250',
  provide: () => fromDebian('dnscrypt-proxy', 'dnscrypt-proxy'),
  version: async () => (await succeed(programPath('dnscrypt-proxy'), ['-version'])).trim(),
  async start(place) {
    const configuration = join(place.directory, 'dnscrypt-proxy.toml');
    await writeFile(configuration, settings(place));
    const options = {
      env: { SSL_CERT_FILE: place.upstream.ca, NO_PROXY: '*', no_proxy: '*' },
      cwd: place.directory,
    };
    return await Program.start(programPath('dnscrypt-proxy'), ['-config', configuration], options);
  },
};

function settings({ port, upstream }: Place): string {
  return [
    `listen_addresses = ['127.0.0.1:${port}']`,
    "server_names = ['bench']",
    'max_clients = 1000',
    // There is no internet to look for, and nobody to ask for the server's address.
    'netprobe_timeout = 0',
    'ignore_system_dns = true',
    'log_level = 6',
    'cache = true',
    `cache_size = ${cacheEntries}`,
    '[static.bench]',
    `stamp = '${stamp(upstream)}'`,
    '',
  ].join('\n');
}

/** DNS over HTTPS (draft-denis-dns-stamps): kind 2, eight octets of properties, then texts with their lengths before them. */
function stamp({ address, httpsPort, name }: TrustedServer): string {
  const texts = [address, '', `${name}:${httpsPort}`, '/dns-query'];
  const parts = texts.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]);
  return `sdns://${Buffer.concat([Buffer.from([2, ...Array(8).fill(0)]), ...parts]).toString('base64url')}`;
}
