/** The PEM file an upstream's `ca` names. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

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

export function sayErrno(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'ENOTDIR':
      return 'a part of its path is a file, not a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ELOOP':
      return 'its symbolic links lead in a circle';
    case 'EROFS':
      return 'the file system is read-only';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
