/** The names of a distant resolver: any name below far.example, or below zipf.example as many as a load invents. */
import type { Lab } from '../lab.ts';
import { writeZone } from './zone-file.ts';

export const zone = 'far.example';
export const zoneAddress = '203.0.113.7';

/** `records`: lines besides those for any name. */
export async function farZone(lab: Lab, records: string[] = []): Promise<string> {
  const anyName = [`* A ${zoneAddress}`, '* AAAA 2001:db8:7::7'];
  return (await writeZone(lab, zone, [...anyName, ...records])).file;
}

export const suffix = 'zipf.example';
/** A name with a TXT record set close to the largest message. */
export const largeName = `large.${suffix}`;

/** `ttl`: of its answers, in seconds. */
export async function zipfZone(lab: Lab, ttl: number): Promise<string> {
  const large = Array(230).fill(`"${'x'.repeat(250)}"`);
  const records = [`* ${ttl} A 198.18.0.1`, `large ${ttl} TXT ${large.join(' ')}`];
  return (await writeZone(lab, suffix, records)).file;
}
