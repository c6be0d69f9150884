/** A profile of an organisation with many internal names, and its key. */
import { writeSignature } from '../../app/service/profiles/minisign.ts';
import { makeSecretKey, signOctets } from '../../app/service/profiles/secret-key.ts';

export const internalZone = 'corp.example';
export const key = makeSecretKey();

/** Names below the zone, at a resolver on this machine. */
export function rules(count: number, port: number): { suffix: string; to: string[] }[] {
  return Array.from({ length: count }, (_, number) => ({
    suffix: nameOf(number),
    to: [`127.0.0.1:${port}`],
  }));
}

export function nameOf(number: number): string {
  return `host-${number}.site-${number % 100}.${internalZone}`;
}

export function signed(
  serial: number,
  bypass: ReturnType<typeof rules>,
): { octets: Buffer; signature: string } {
  const facts = { id: 'example-corp', issuer: 'Example Corp', name: 'Laptops' };
  const content = { ...facts, serial, settings: { bypass: { value: bypass } } };
  const octets = Buffer.from(JSON.stringify(content, null, 1));
  return { octets, signature: writeSignature(signOctets(octets, key, `serial:${serial}`)) };
}
