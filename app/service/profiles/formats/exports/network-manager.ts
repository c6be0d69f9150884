/** A connection of NetworkManager: nm-settings-keyfile(5). Only connections tell systemd-resolved their resolvers. */
import { isIPv4 } from '../../../../contract/dns/socket-address.ts';
import { left } from '../finding.ts';
import { hashed, headOf } from './comment.ts';
import { type ExportSource, stableUuid } from './export-source.ts';
import type { Plan, Program } from './plan.ts';
import { systemdResolved } from './systemd-resolved.ts';

export const networkManager: Program = {
  ...systemdResolved,
  name: 'NetworkManager',
  ports: false,
};

const place =
  'Put it into /etc/NetworkManager/system-connections/sotto.nmconnection (mode 0600), where systemd-resolved resolves names.';

export function writeNetworkManager(source: ExportSource, plan: Plan): string {
  for (const { suffix } of source.values.bypass)
    plan.findings.push(left(`bypass ${suffix}`, 'left out: it goes to the upstreams'));
  plan.findings.push(
    left(
      'other connections',
      'they keep their resolvers; copy "dns-over-tls", [ipv4] and [ipv6] into those of Wi-Fi and VPN',
    ),
  );
  const servers = plan.upstreams.flatMap(({ name, places }) =>
    places.map(({ ip }) => ({ ip, text: `${ip}${name === null ? '' : `#${name}`};` })),
  );
  const family = (title: string, isOurs: (ip: string) => boolean) => {
    const list = servers.filter(({ ip }) => isOurs(ip)).map(({ text }) => text);
    return `
[${title}]
method=auto
${list.length === 0 ? '' : `dns=${list.join('')}\n`}dns-search=~.;
dns-priority=-50
ignore-auto-dns=true
`;
  };
  return `${hashed(headOf(source, place, plan.findings))}[connection]
id=sotto-${source.id}
uuid=${stableUuid(source.id, 'connection')}
type=ethernet
dns-over-tls=${plan.opportunistic ? 1 : 2}
${family('ipv4', isIPv4)}${family('ipv6', (ip) => !isIPv4(ip))}`;
}
