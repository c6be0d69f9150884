/** Client identities as OpenSSL writes them, read by ours: PKCS#12 files, and keys and certificates as PEM. */
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readIdentityFile } from '../../app/cli/commands/identity-file.ts';
import { readIdentity } from '../../app/service/identities/identity-pem.ts';
import { describeWith, locate } from '../rig/available.ts';

const password = 'correct horse';

describeWith(['openssl'], 'an identity from a file of OpenSSL', () => {
  let folder = '';
  const file = (name: string) => join(folder, name);
  const openssl = (words: string) =>
    execFileSync(locate('openssl'), words.split(' '), { cwd: folder, stdio: 'pipe' });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sotto-identity-'));
    writeFileSync(file('password'), password);
    for (const [name, kind] of [
      ['rsa', 'rsa:2048'],
      ['ec', 'ec -pkeyopt ec_paramgen_curve:P-384'],
      ['ed', 'ed25519'],
      ['other', 'ec -pkeyopt ec_paramgen_curve:P-256'],
    ])
      openssl(
        `req -x509 -newkey ${kind} -nodes -keyout ${name}.key -out ${name}.crt -subj /CN=${name} -days 30`,
      );
    // An authority, one below it, and a client of that one.
    writeFileSync(file('ca.ext'), 'basicConstraints=critical,CA:TRUE');
    writeFileSync(file('leaf.ext'), 'basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth');
    writeFileSync(file('server.ext'), 'basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth');
    for (const [name, issuer, extensions] of [
      ['between', 'rsa', 'ca'],
      ['leaf', 'between', 'leaf'],
      ['server', 'between', 'server'],
    ]) {
      openssl(`req -new -newkey rsa:2048 -nodes -keyout ${name}.key -out csr -subj /CN=${name}`);
      openssl(
        `x509 -req -in csr -CA ${issuer}.crt -CAkey ${issuer}.key -CAcreateserial -out ${name}.crt -days 30 -extfile ${extensions}.ext`,
      );
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const given = async () => password;
  const never = async () => {
    throw new Error('no password is needed');
  };
  const concatenated = (name: string, ...parts: string[]) =>
    writeFileSync(file(name), parts.map((part) => readFileSync(file(part), 'utf8')).join(''));

  async function identityOf(name: string, key?: string, ask = given) {
    const read = await readIdentityFile(file(name), key === undefined ? undefined : file(key), ask);
    const found = readIdentity(read.key, read.certificates);
    if ('reason' in found) throw new Error(found.reason);
    const [own = ''] = found.identity.pem.match(/-----BEGIN CERT[\s\S]+?-----END CERT.+/) ?? [];
    return { ...found.identity.certificate, own: new X509Certificate(own).fingerprint256 };
  }

  test.each([
    ['as it writes them now', ''],
    ['with RC2 and 3DES, as it once did', '-legacy'],
    ['with AES-128', '-keypbe AES-128-CBC -certpbe AES-128-CBC'],
    ['with SHA-512', '-macalg sha512'],
    ['without encryption', '-keypbe NONE -certpbe NONE'],
    ['without a seal', '-nomac'],
  ])('PKCS#12 files %s, with each kind of key', async (_how, options) => {
    for (const [name, key] of [
      ['rsa', 'RSA 2048'],
      ['ec', 'P-384'],
      ['ed', 'Ed25519'],
    ]) {
      const words = `${options} -inkey ${name}.key -in ${name}.crt -out a.p12 -passout file:password`;
      openssl(`pkcs12 -export ${words.trim()}`);
      const certificate = new X509Certificate(readFileSync(file(`${name}.crt`)));
      expect(await identityOf('a.p12')).toMatchObject({
        key,
        subject: `CN=${name}`,
        length: 1,
        // node-forge writes the certificate anew; it has to be the same to the last octet
        own: certificate.fingerprint256,
      });
    }
  });

  test('of several certificates, those of the chain in their order, without the authority', async () => {
    concatenated('all.crt', 'other.crt', 'rsa.crt', 'between.crt');
    openssl(
      'pkcs12 -export -inkey leaf.key -in leaf.crt -certfile all.crt -out b.p12 -passout file:password',
    );
    expect(await identityOf('b.p12')).toMatchObject({
      subject: 'CN=leaf',
      issuer: 'CN=between',
      length: 2,
    });
    concatenated('b.pem', 'all.crt', 'leaf.crt');
    expect(await identityOf('b.pem', 'leaf.key', never)).toMatchObject({ length: 2 });
  });

  test('PEM: every form of a key, in a file of its own or beside the certificate', async () => {
    openssl('ec -in ec.key -out sec1.key');
    openssl('rsa -in rsa.key -traditional -out pkcs1.key');
    openssl('pkcs8 -topk8 -in ec.key -out locked.key -passout file:password');
    openssl('rsa -in rsa.key -aes128 -traditional -out old.key -passout file:password');
    for (const [certificate, key, ask] of [
      ['ec', 'sec1', never],
      ['rsa', 'pkcs1', never],
      ['ec', 'locked', given],
      ['rsa', 'old', given],
    ] as const) {
      expect(await identityOf(`${certificate}.crt`, `${key}.key`, ask), key).toBeDefined();
      concatenated('c.pem', `${key}.key`, `${certificate}.crt`);
      expect(await identityOf('c.pem', undefined, ask), key).toBeDefined();
    }
  });

  test('an empty password is one, too', async () => {
    openssl('pkcs12 -export -inkey rsa.key -in rsa.crt -out empty.p12 -passout pass:');
    expect(await identityOf('empty.p12', undefined, async () => '')).toBeDefined();
    await expect(identityOf('empty.p12')).rejects.toThrow('the password does not open');
  });

  test('what is wrong with a file is said', async () => {
    openssl('pkcs12 -export -inkey rsa.key -in rsa.crt -out good.p12 -passout file:password');
    openssl('pkcs12 -export -nokeys -in rsa.crt -out nokey.p12 -passout file:password');
    openssl('pkcs8 -topk8 -in ec.key -out locked.key -passout file:password');
    openssl('ecparam -name secp256k1 -genkey -noout -out coin.key');
    openssl('req -x509 -new -key coin.key -out coin.crt -subj /CN=coin');
    openssl('req -x509 -newkey rsa:1024 -nodes -keyout weak.key -out weak.crt -subj /CN=weak');
    concatenated('two.pem', 'rsa.key', 'ec.key', 'rsa.crt');
    concatenated('cut.p12');
    writeFileSync(file('cut.p12'), readFileSync(file('good.p12')).subarray(0, 900));
    writeFileSync(file('nonsense'), 'no key, no certificate');
    writeFileSync(file('large.p12'), '');
    truncateSync(file('large.p12'), 10_000_000);
    const wrong = async () => 'another one';
    for (const [name, key, ask, words] of [
      ['good.p12', undefined, wrong, 'the password does not open'],
      ['ec.crt', 'locked.key', wrong, 'the password does not open'],
      ['nokey.p12', undefined, given, 'has no private key'],
      ['rsa.crt', undefined, never, 'has no private key'],
      ['rsa.key', undefined, never, 'it has no certificate'],
      ['two.pem', undefined, never, '2 private keys'],
      ['good.p12', 'rsa.key', never, '--key belongs to one'],
      ['cut.p12', undefined, never, 'neither PEM text nor a PKCS#12 file'],
      ['nonsense', undefined, never, 'neither PEM text nor a PKCS#12 file'],
      ['large.p12', undefined, never, 'larger than 1000000 octets'],
      ['missing.p12', undefined, never, "can't read"],
      ['other.crt', 'ec.key', never, 'does not belong to its certificate'],
      ['b.pem', 'ec.key', never, 'does not belong to any of its 4 certificates'],
      ['server.crt', 'server.key', never, 'not for clients'],
      ['coin.crt', 'coin.key', never, 'of a kind that Sotto does not use'],
      ['weak.crt', 'weak.key', never, 'of a kind that Sotto does not use'],
    ] as const)
      await expect(identityOf(name, key, ask), name).rejects.toThrow(words);
  });
});
