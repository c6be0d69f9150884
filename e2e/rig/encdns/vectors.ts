/**
 * Queries and responses in boxes, computed from the description of EncDNS by the implementation in `format.ts`; ours reads them in
 * `native/encdns/tests/vectors.rs`. What is random elsewhere is a hash here, so that they are the same each time.
 */
import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import { base32Labels, boxName, type Labels, plainLabels, replyData, seal } from './format.ts';

/** Published with the first implementation, for tests. */
const published = '59a79183cc11d725c64df8005e784b8abe6908f053e1ac77bb022da250d36049';
const longestName = 255;

interface Pair {
  server: Buffer;
  client: Buffer;
  nonce: Buffer;
}

export function vectors(): string {
  const queries = queryCases().map(queryLine);
  const replies = replyLengths.map((length, at) => replyLine(pair(100 + at), length));
  return [...introduction, ...queries, ...replies, ''].join('\n');
}

const introduction = [
  '# Written by "SOTTO_WRITE_VECTORS=1 npm test -- encdns/vectors" from the description of EncDNS, with tweetnacl. Octets are in',
  '# hexadecimal digits, "client" and "server" are secret keys; "binary" and "base32" are names, and "-" one that would be too long.',
];

/** What fits exactly and what does not, with either labels: 175 and 85 octets below enc.example. */
const queryLengths = [0, 1, 12, 62, 63, 64, 85, 86, 126, 127, 175, 176];
/** A response fills one character string with 215 octets, and two with 470. */
const replyLengths = [0, 1, 12, 214, 215, 216, 469, 470, 471, 1300];

function queryCases(): [Pair, zone: string, text: Buffer][] {
  const first: Pair = {
    server: Buffer.from(published, 'hex'),
    client: Buffer.from(Array.from({ length: 32 }, (_, at) => at)),
    nonce: Buffer.from('000000000000000100112233', 'hex'),
  };
  const text = 'beef0100000100000000000003777777076578616d706c6503636f6d0000010001';
  return [
    [first, 'enc.example', Buffer.from(text, 'hex')],
    ...queryLengths.map((length, at): [Pair, string, Buffer] => [
      pair(at),
      'enc.example',
      octets(`query ${at}`, length),
    ]),
    ...['a.bc', 'e.example.org', 'x'.repeat(63)].map((zone, at): [Pair, string, Buffer] => [
      pair(50 + at),
      zone,
      octets(zone, 33),
    ]),
  ];
}

function queryLine([{ server, client, nonce }, zone, text]: [Pair, string, Buffer]): string {
  const keys = { server: nacl.box.keyPair.fromSecretKey(server).publicKey };
  const box = seal(nonce, Buffer.alloc(12), text, nacl.box.before(keys.server, client));
  const boxed = { client: publicKey(client), nonce, box };
  const name = (labels: Labels) => {
    const written = boxName(boxed, labels, zone);
    return written.length > longestName ? '-' : written.toString('hex');
  };
  const [binary, base32] = [name(plainLabels), name(base32Labels)];
  return line('query', { server, client, nonce, text, zone, binary, base32 });
}

function replyLine({ server, client, nonce }: Pair, length: number): string {
  const [serverNonce, text] = [octets(`of the server ${length}`, 12), octets('reply', length)];
  const box = seal(nonce, serverNonce, text, nacl.box.before(publicKey(client), server));
  const data = replyData(nonce, serverNonce, box);
  return line('reply', { server, client, nonce, servernonce: serverNonce, text, data });
}

function line(kind: string, fields: Record<string, Buffer | string>): string {
  const words = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : value.toString('hex')}`,
  );
  return [kind, ...words].join(' ');
}

function publicKey(secret: Buffer): Buffer {
  return Buffer.from(nacl.box.keyPair.fromSecretKey(secret).publicKey);
}

function pair(number: number): Pair {
  const [server, client, nonce] = [
    octets(`server ${number}`, 32),
    octets(`client ${number}`, 32),
    octets(`nonce ${number}`, 12),
  ];
  return { server, client, nonce };
}

function octets(seed: string, length: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
    createHash('sha256').update(`${seed} ${at}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}
