/** vault.example, signed by ldns, unknown types and wildcards included. */
import { join } from 'node:path';
import { locate } from '../available.ts';
import type { Lab } from '../lab.ts';
import { succeed } from '../process.ts';
import { writeZone, type Zone } from './zone-file.ts';

export const vault = 'vault.example';

export async function vaultZone(lab: Lab): Promise<Zone> {
  const zone = await writeZone(lab, vault, [
    'gold A 198.51.100.200',
    'gold TXT "signed"',
    'alias CNAME gold',
    '*.wild A 198.51.100.201',
    'unknown TYPE65280 \\# 6 deadbeef00ff',
    'shop HTTPS 1 . alpn=h2',
    String.raw`\000\255box TXT "binary and signed"`,
    'sub DS 12345 13 2 8d02536c887482bc34ff54e41d2ba659bf85b341a0a20afadb5813dcfbcf286d',
    'sub NS ns.sub',
  ]);
  const keygen = ['-a', 'ECDSAP256SHA256', '-k', vault];
  const key = (await succeed(locate('ldns-keygen'), keygen, { cwd: lab.directory })).trim();
  const signed = `${zone.file}.signed`;
  await succeed(locate('ldns-signzone'), ['-f', signed, zone.file, join(lab.directory, key)]);
  return { name: vault, file: signed };
}
