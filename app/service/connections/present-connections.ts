/** What the engine's audit found, with what is known of programs and addresses. Pure. */
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { ConnectionAudit } from '../../contract/system/connections.ts';
import type { AuditReport } from '../engine/boundary.ts';
import type { DesktopApplication } from '../query-log/desktop-applications.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';

export function presentConnections(
  { betweenLooks: _, programs, ...report }: AuditReport,
  resolverAt: (address: string) => string | null,
  applicationOf: (program: string) => DesktopApplication,
): ConnectionAudit {
  return {
    ...report,
    programs: programs.map(({ addresses, ...program }) => {
      const { name, icon } = applicationOf(program.program);
      return {
        ...program,
        application: name,
        icon,
        addresses: addresses.map((one) => ({ ...one, resolver: resolverAt(one.address) })),
      };
    }),
  };
}

/** The label of the catalogue's resolver that has this address. */
export function resolversByAddress(
  catalogue: readonly Pick<Resolver, 'label' | 'addresses'>[],
): (address: string) => string | null {
  const labels = new Map<string, string>();
  for (const { label, addresses } of catalogue)
    for (const address of addresses) {
      const ip = parseSocketAddress(address)?.ip;
      if (ip !== undefined && !labels.has(ip)) labels.set(ip, label);
    }
  return (address) => labels.get(address) ?? null;
}
