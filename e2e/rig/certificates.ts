/** Certificates as other people make them: by openssl's command line. */
import { createHash, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './available.ts';
import type { Lab } from './lab.ts';
import { succeed } from './process.ts';

export interface Identity {
  /** PEM files; `certificate` holds the chain, leaf first */
  certificate: string;
  key: string;
  /** PEM file of the issuer, which may be itself */
  authority: string;
  /** base64 SHA-256 of the SubjectPublicKeyInfo (RFC 7858 section 4.2) */
  pin: string;
}

interface Holder {
  /** subjectAltName entries such as `DNS:dns.example` or `IP:127.0.0.1` */
  for: string[];
  expired?: boolean;
  /** to identify itself to servers, not as one */
  client?: boolean;
  /** for programs that read no other name */
  commonName?: string;
}

const day = 86_400_000;
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
let count = 0;

export class CertificateAuthority {
  /** PEM file to trust */
  readonly certificate: string;
  readonly #directory: string;
  readonly #key: string;

  static async create(lab: Lab): Promise<CertificateAuthority> {
    const ca = new CertificateAuthority(lab.directory, `ca${++count}`);
    await request([
      '-x509',
      ...newKey,
      '-keyout',
      ca.#key,
      '-out',
      ca.certificate,
      '-days',
      '30',
      '-subj',
      '/CN=Lab CA',
      '-addext',
      'keyUsage=critical,keyCertSign,cRLSign',
    ]);
    return ca;
  }

  private constructor(directory: string, name: string) {
    this.#directory = directory;
    this.certificate = join(directory, `${name}.pem`);
    this.#key = join(directory, `${name}.key`);
  }

  async issue(holder: Holder): Promise<Identity> {
    const files = nextFiles(this.#directory);
    await request([
      '-new',
      ...newKey,
      '-keyout',
      files.key,
      '-out',
      files.request,
      '-subj',
      '/CN=lab',
    ]);
    await writeFile(files.extensions, leafExtensions(holder));
    await writeFile(files.database, '');
    await writeFile(files.configuration, signingConfiguration(this.#directory, files.database));
    const now = Date.now();
    const [from, until] = holder.expired
      ? [now - 20 * day, now - 2 * day]
      : [now - day, now + 30 * day];
    await succeed(locate('openssl'), [
      ...[
        'ca',
        '-batch',
        '-config',
        files.configuration,
        '-cert',
        this.certificate,
        '-keyfile',
        this.#key,
      ],
      ...['-in', files.request, '-extfile', files.extensions, '-notext', '-out', files.certificate],
      ...['-startdate', asn1Time(from), '-enddate', asn1Time(until)],
    ]);
    return await identity(files.certificate, files.key, this.certificate);
  }
}

/** A certificate from one openssl command: its own issuer, and CA:TRUE, which is openssl's default. */
export async function selfSigned(lab: Pick<Lab, 'directory'>, holder: Holder): Promise<Identity> {
  const files = nextFiles(lab.directory);
  await request([
    '-x509',
    ...newKey,
    '-keyout',
    files.key,
    '-out',
    files.certificate,
    '-days',
    '30',
    '-subj',
    `/CN=${holder.commonName ?? 'lab'}`,
    '-addext',
    `subjectAltName=${holder.for.join(',')}`,
  ]);
  return await identity(files.certificate, files.key, files.certificate);
}

function nextFiles(directory: string) {
  const base = join(directory, `leaf${++count}`);
  return {
    certificate: `${base}.pem`,
    key: `${base}.key`,
    request: `${base}.csr`,
    extensions: `${base}.ext`,
    configuration: `${base}.cnf`,
    database: `${base}.index`,
  };
}

async function request(args: string[]): Promise<void> {
  await succeed(locate('openssl'), ['req', ...args]);
}

async function identity(certificate: string, key: string, authority: string): Promise<Identity> {
  const parsed = new X509Certificate(await readFile(certificate));
  const spki = parsed.publicKey.export({ type: 'spki', format: 'der' });
  return { certificate, key, authority, pin: createHash('sha256').update(spki).digest('base64') };
}

/** base64 SHA-256 of the TBSCertificate, which openssl cuts out. */
export async function tbsHash({ certificate }: Identity): Promise<string> {
  const cut = `${certificate}.tbs`;
  await succeed(locate('openssl'), [
    ...['asn1parse', '-inform', 'PEM', '-in', certificate, '-strparse', '4'],
    ...['-noout', '-out', cut],
  ]);
  return createHash('sha256')
    .update(await readFile(cut))
    .digest('base64');
}

function leafExtensions({ for: alternativeNames, client = false }: Holder): string {
  return [
    `subjectAltName=${alternativeNames.join(',')}`,
    'basicConstraints=CA:FALSE',
    'keyUsage=digitalSignature',
    `extendedKeyUsage=${client ? 'clientAuth' : 'serverAuth'}`,
  ].join('\n');
}

function signingConfiguration(directory: string, database: string): string {
  return [
    '[ca]',
    'default_ca=lab',
    '[lab]',
    `new_certs_dir=${directory}`,
    `database=${database}`,
    'unique_subject=no',
    'rand_serial=yes',
    'default_md=sha256',
    'policy=any',
    '[any]',
    'commonName=supplied',
  ].join('\n');
}

/** YYYYMMDDHHMMSSZ */
function asn1Time(unixMs: number): string {
  return `${new Date(unixMs).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
}
