/** A page of a portal that asks its visitor for a certificate, and notes the certificate that it got. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { locate } from '../rig/available.ts';
import { type Identity, selfSigned } from '../rig/certificates.ts';
import type { Lab } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';

export interface WantsCertificate {
  port: number;
  /** for every visit: the common name in the certificate that it got; null: none */
  shown: (string | null)[];
}

export async function startWantsCertificate(lab: Lab, host: string): Promise<WantsCertificate> {
  const { certificate, key } = await selfSigned(lab, { for: [`DNS:${host}`] });
  const [cert, privateKey] = [await readFile(certificate), await readFile(key)];
  const asking = { requestCert: true, rejectUnauthorized: false };
  const shown: (string | null)[] = [];
  const server = createServer({ cert, key: privateKey, ...asking }, (request, response) => {
    if (request.url === '/') {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      shown.push(subject === undefined ? null : String(subject.CN));
    }
    response.end('<!doctype html><title>Secure</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lab.adopt({
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
  return { port: (server.address() as AddressInfo).port, shown };
}

/** A person's own certificate and key, in the form in which they are imported. */
export async function personalCertificate(lab: Lab, password: string): Promise<string> {
  const { certificate, key }: Identity = await selfSigned(lab, { for: ['DNS:somebody.example'] });
  const file = join(lab.directory, 'personal.p12');
  // the format that old versions of NSS read
  const ciphers = ['-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'];
  const input = ['-in', certificate, '-inkey', key, '-passout', `pass:${password}`];
  await succeed(locate('openssl'), ['pkcs12', '-export', ...ciphers, ...input, '-out', file]);
  return file;
}
