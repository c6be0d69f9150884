/**
 * What most tests have in common: a zone with all kinds of records at NSD, and unbound in front of it with a trusted certificate.
 */
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { type DigResponse, dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { Nsd } from '../rig/peers/nsd.ts';
import { Unbound } from '../rig/peers/unbound.ts';
import { type Endpoint, text } from '../rig/raw-client.ts';
import { gardenZone } from '../rig/zones/garden.ts';
import { rootZone } from '../rig/zones/internal.ts';
import type { Zone } from '../rig/zones/zone-file.ts';

export const serverName = 'dns.lab.example';

export interface Stage {
  ca: CertificateAuthority;
  identity: Identity;
  nsd: Nsd;
  unbound: Unbound;
}

export async function openStage(lab: Lab, furtherZones: Zone[] = []): Promise<Stage> {
  const ca = await CertificateAuthority.create(lab);
  const identity = await ca.issue({ for: [`DNS:${serverName}`, 'IP:127.0.0.1'] });
  const zones = [await gardenZone(lab), await rootZone(lab), ...furtherZones];
  const nsd = await Nsd.start(lab, { zones, identity });
  const names = zones.map((zone) => zone.name);
  const stubs = Object.fromEntries(names.map((name) => [name, nsd.plain]));
  return { ca, identity, nsd, unbound: await Unbound.start(lab, { identity, stubs }) };
}

export interface UpstreamSetting {
  id: string;
  transport: 'tdns' | 'dot';
  address: string | string[];
  name?: string | string[];
  pins?: string[];
  certificatePins?: string[];
  ca?: string;
  identity?: string;
}

export function upstream(
  id: string,
  transport: UpstreamSetting['transport'],
  to: Endpoint,
  trust: Pick<UpstreamSetting, 'name' | 'pins' | 'certificatePins' | 'ca'>,
): UpstreamSetting {
  return { id, transport, address: text(to), ...trust };
}

/** What Sotto says of a query for which an upstream took too long, as it does where the machine stands still for seconds. */
const tooLate = / in time|when the time was up|went silent/;

/** dig's response; a query that an upstream did not answer in time is sent again, as programs do. */
export async function digInTime(to: Endpoint, name: string, type = 'A'): Promise<DigResponse> {
  return await eventually(`${name} in time`, async () => {
    const response = await dig(to, name, type);
    return !tooLate.test(response.extendedError?.text ?? '') && response;
  });
}

/** The authority and name of this stage. */
export function trusting(stage: Pick<Stage, 'ca'>): { name: string; ca: string } {
  return { name: serverName, ca: stage.ca.certificate };
}
