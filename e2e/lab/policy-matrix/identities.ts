/** The certificates of the resolvers, and those of an impostor in their place. */
import { CertificateAuthority, type Identity } from '../../rig/certificates.ts';
import type { Lab } from '../../rig/lab.ts';
import { serverName } from '../../rig/peers/sotto-server.ts';

export interface Identities {
  genuine: Identity;
  impostor: Identity;
}

export async function makeIdentities(lab: Lab): Promise<Identities> {
  const [ours, theirs] = [
    await CertificateAuthority.create(lab),
    await CertificateAuthority.create(lab),
  ];
  const holder = { for: [`DNS:${serverName}`] };
  return { genuine: await ours.issue(holder), impostor: await theirs.issue(holder) };
}
