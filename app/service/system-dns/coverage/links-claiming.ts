/**
 * Links whose resolvers claim the names of mDNS (RFC 6762), as some VPN clients do, and programs that fight for the system's DNS. Both
 * stand in the map; the verdict has its own words for the second.
 */
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { SystemDnsStatus } from '../../../contract/system/system-dns.ts';
import { warn } from '../../doctor/finding.ts';
import type { NetworkSnapshot } from '../../network/network-snapshot.ts';

export function findClaims(
  { links }: Pick<NetworkSnapshot, 'links'>,
  status: Pick<SystemDnsStatus, 'contest'> | null,
): Finding[] {
  const claiming = links.flatMap(({ interface: link, domains }) =>
    link !== null && domains.some(({ name }) => isLocal(name)) ? [link] : [],
  );
  const claims = [...new Set(claiming)].map((link) =>
    warn('coverage', say('link-claims-local', { link }), say('ask-for-own-domain'), link),
  );
  const contest = status?.contest ?? null;
  return contest === null
    ? claims
    : [
        ...claims,
        warn(
          'coverage',
          say(contest.closed ? 'dns-fought-for-closed' : 'dns-fought-for'),
          say('see-system-status'),
          'system DNS',
        ),
      ];
}

function isLocal(name: string): boolean {
  return /^(~?\.?)local\.?$/i.test(name);
}
