/** dnscrypt-proxy.toml. The program speaks no DNS over TLS, so it needs the address of an upstream by HTTPS. */
import { Buffer } from 'node:buffer';
import { domainToUnicode } from 'node:url';
import { isIPv4 } from '../../../../contract/dns/socket-address.ts';
import { left } from '../finding.ts';
import { hashed, headOf } from './comment.ts';
import type { ExportSource } from './export-source.ts';
import type { HttpsAddress } from './https-address.ts';
import type { Plan, Program } from './plan.ts';

export const dnscryptProxy: Program = {
  name: 'dnscrypt-proxy',
  ports: true,
  pins: false,
  certificatePins: true,
  byAddress: false,
  authorities: false,
  groups: false,
  opportunistic: false,
  says: ['bypass', 'listen', 'queryLog.mode'],
};

const place = 'Put it into /etc/dnscrypt-proxy/dnscrypt-proxy.toml.';

export function writeDnscryptProxy(source: ExportSource, plan: Plan, https: HttpsAddress): string {
  const { values, stated } = source;
  for (const { suffix, to } of values.bypass)
    plan.findings.push(
      left(
        `bypass ${suffix}`,
        `left out; its place is the file of "forwarding_rules": ${suffix} ${to.join(',')}`,
      ),
    );
  const listens = stated.some(({ key }) => key === 'listen');
  const servers = plan.upstreams.flatMap(({ id, certificatePins, places }) =>
    places.map(({ ip }, index) => ({
      name: `${id}-${index + 1}`,
      stamp: stampOf(ip, https, certificatePins),
    })),
  );
  const list = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;
  const ipv6 = plan.upstreams.some(({ places }) => places.some(({ ip }) => !isIPv4(ip)));
  return `${hashed(headOf(source, place, plan.findings))}server_names = ${list(servers.map(({ name }) => name))}
${listens ? `listen_addresses = ${list(values.listen)}\n` : ''}dnscrypt_servers = false
doh_servers = true
odoh_servers = false
ipv4_servers = true
ipv6_servers = ${ipv6}
ignore_system_dns = true
netprobe_timeout = 0
${servers.map(({ name, stamp }) => `\n[static.'${name}']\nstamp = '${stamp}'\n`).join('')}`;
}

/**
 * Of DNS over HTTPS: draft-denis-dns-stamps. The address is an IP address alone, the port stands behind the host, and an
 * international host in its own letters (sections 4.3 and 5.4). The high bit of a hash's length says that another one follows.
 */
export function stampOf(
  ip: string,
  { host, port, path }: HttpsAddress,
  certificatePins: readonly string[],
): string {
  const letters = domainToUnicode(host) || host;
  const sized = (text: string) => {
    const octets = Buffer.from(text);
    return Buffer.concat([Buffer.of(octets.length), octets]);
  };
  const hashes = certificatePins.flatMap((pin, index) => [
    Buffer.of(32 | (index + 1 < certificatePins.length ? 0x80 : 0)),
    Buffer.from(pin, 'base64'),
  ]);
  const octets = Buffer.concat([
    Buffer.of(0x02),
    Buffer.alloc(8),
    sized(isIPv4(ip) ? ip : `[${ip}]`),
    ...(hashes.length === 0 ? [Buffer.of(0)] : hashes),
    sized(port === 443 ? letters : `${letters}:${port}`),
    sized(path),
  ]);
  return `sdns://${octets.toString('base64url')}`;
}
