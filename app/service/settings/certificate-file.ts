/** The PEM file an upstream's `ca` names. */
import { X509Certificate } from 'node:crypto';
import { readBounded } from '../base/bounded-file.ts';

export type CertificatesRead = { pem: string } | { reason: string };

/** All authorities that a system trusts have a quarter of a million octets. */
const mostOctets = 4_194_304;

/** The certificates' text, or what is wrong with the file. */
export function readCertificates(file: string): CertificatesRead {
  const read = readBounded(file, mostOctets);
  if ('reason' in read) return { reason: `can't read ${file}: ${read.reason}` };
  const text = read.octets.toString('utf8');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    return {
      reason: `${file} holds no certificate; it must be PEM text with "-----BEGIN CERTIFICATE-----"`,
    };
  for (const [index, block] of blocks.entries())
    try {
      new X509Certificate(block);
    } catch {
      return { reason: `certificate ${index + 1} in ${file} can't be read; export it again` };
    }
  return { pem: `${blocks.join('\n')}\n` };
}
