/** The PEM file an upstream's `ca` names. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sayErrno } from '../base/errno-words.ts';

/** The certificates' text, or what is wrong with the file. */
export function readCertificates(file: string): { pem: string } | { reason: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { reason: `can't read ${file}: ${sayErrno(error)}` };
  }
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
