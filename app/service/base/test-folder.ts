/** A folder of its own for each test, removed afterwards, and a certificate to put in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface TestFolder {
  path: string;
  write(name: string, content: string | object): string;
  remove(): void;
}

export function testFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'sotto-test-'));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return file;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Self-signed, made for tests; its key was thrown away. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBezCCASGgAwIBAgIUVW4vV+zUzNoQr2ba0NuvMBNDGq8wCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHY2EudGVzdDAgFw0yNjExMjEwMzUyNDJaGA8yMTI2MTAyODAz
NTI0MlowEjEQMA4GA1UEAwwHY2EudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABEf6bUEzs0O/EKF4uTxK2q8TMT8Ait2re9JmLbM3YhWQ2bPHyqn/x34FLPOk
eHcDXWsXZaaN8gqhTC3NDjqqSDujUzBRMB0GA1UdDgQWBBRqm6TabAsDBuE/kq4B
L7JfOegPnDAfBgNVHSMEGDAWgBRqm6TabAsDBuE/kq4BL7JfOegPnDAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCAkptkeZG/amXcWxgj8YNsQANO
boTF1twwsKUJva256gIgVrtVQujINEe2RZMezVPytqfe/Nh+nhVjVniaNRmHsI0=
-----END CERTIFICATE-----
`;
