/** unbound on the far machine: a server of another operator, over TLS. */
import { CertificateAuthority } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import type { Namespace } from '../network/namespace.ts';
import { zone, zoneAddress } from '../zones/far.ts';
import { Resolver } from './resolver.ts';
import { serverName } from './sotto-server.ts';

/** Resolves to the PEM file to trust. */
export async function startFarUnbound(lab: Lab, on: Namespace, address: string): Promise<string> {
  const authority = await CertificateAuthority.create(lab);
  const identity = await authority.issue({ for: [`DNS:${serverName}`] });
  const names = { [zone]: [`A ${zoneAddress}`] };
  await Resolver.start(lab, on, { addresses: [address], names, identity });
  return authority.certificate;
}
