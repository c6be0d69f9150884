/** Zones behind the split horizon. The same name has another address on every level. */
import type { Lab } from '../lab.ts';
import { writeZone, type Zone } from './zone-file.ts';

export const corp = 'corp.example';
export const deep = 'deep.corp.example';

export async function corpZone(lab: Lab): Promise<Zone> {
  return await writeZone(lab, corp, [
    'host A 10.1.2.3',
    'host.deep A 10.1.2.99',
    'outside CNAME plant1.garden.example.',
  ]);
}

export async function deepZone(lab: Lab): Promise<Zone> {
  return await writeZone(lab, deep, ['host A 10.9.9.9']);
}

/** What a resolver needs to answer queries for names that do not exist. */
export async function rootZone(lab: Lab): Promise<Zone> {
  return await writeZone(lab, '', []);
}

/** A zone below a public suffix, where the registrable domain differs from the name. */
export async function netZone(lab: Lab): Promise<Zone> {
  return await writeZone(lab, 'example.net', ['*.secret A 198.51.100.77']);
}
