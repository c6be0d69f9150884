/** A drop-in for systemd-resolved: resolved.conf(5). */
import { formatSocketAddress } from '../../../../contract/dns/socket-address.ts';
import { left } from '../finding.ts';
import { hashed, headOf } from './comment.ts';
import type { ExportSource } from './export-source.ts';
import { dotPort, type Place, type Plan, type Program } from './plan.ts';

export const systemdResolved: Program = {
  name: 'systemd-resolved',
  ports: true,
  pins: false,
  certificatePins: false,
  byAddress: true,
  authorities: false,
  groups: false,
  opportunistic: true,
  says: ['bypass'],
};

const place = 'Put it into /etc/systemd/resolved.conf.d/sotto.conf, and restart systemd-resolved.';

/** An empty assignment drops what files before it said; FallbackDNS would otherwise be those that the program was built with. */
export function writeSystemdResolved(source: ExportSource, plan: Plan): string {
  for (const { suffix } of source.values.bypass)
    plan.findings.push(
      left(
        `bypass ${suffix}`,
        'left out: it goes to the upstreams, unless a link has it as its own domain',
      ),
    );
  const servers = plan.upstreams.flatMap(({ name, places }) =>
    places.map((place) => `${written(place)}${name === null ? '' : `#${name}`}`),
  );
  return `${hashed(headOf(source, place, plan.findings))}[Resolve]
DNS=
DNS=${servers.join(' ')}
FallbackDNS=
Domains=~.
DNSOverTLS=${plan.opportunistic ? 'opportunistic' : 'yes'}
`;
}

/** Without a port it is that of TLS or, where TLS is missing and may be, that of DNS. */
function written({ ip, port }: Place): string {
  return port === dotPort ? ip : formatSocketAddress(ip, port);
}
