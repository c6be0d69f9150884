/**
 * The published format of EncDNS, written from its description with another implementation of boxes, and without ours: what these tests
 * send and expect comes from here.
 */
import nacl from 'tweetnacl';

/** " E^" */
const magic = Buffer.from([0x20, 0x45, 0x5e]);
const halfNonce = 12;

export type Labels = (octets: Buffer) => Buffer;

/** What stands in a query's name. */
export interface BoxedQuery {
  client: Buffer;
  nonce: Buffer;
  box: Buffer;
}

export function seal(nonce: Buffer, serverNonce: Buffer, text: Buffer, shared: Uint8Array): Buffer {
  return Buffer.from(nacl.box.after(text, Buffer.concat([nonce, serverNonce]), shared));
}

/** null: somebody else sealed it, or it was changed. */
export function open(
  nonce: Buffer,
  serverNonce: Buffer,
  box: Buffer,
  shared: Uint8Array,
): Buffer | null {
  const text = nacl.box.open.after(box, Buffer.concat([nonce, serverNonce]), shared);
  return text === null ? null : Buffer.from(text);
}

/** In wire form, with the root label at its end. */
export function boxName({ client, nonce, box }: BoxedQuery, labels: Labels, zone: string): Buffer {
  const below = zone.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  const boxed = labels(Buffer.concat([magic, client, nonce, box]));
  return Buffer.concat([boxed, Buffer.from([...below, 0])]);
}

/** The labels before the zone; only plain ones. */
export function readPlainName(labels: readonly Buffer[]): BoxedQuery | null {
  const octets = Buffer.concat(labels);
  const at = [3, 35, 47] as const;
  if (octets.length < at[2] + 16 || !octets.subarray(0, at[0]).equals(magic)) return null;
  return {
    client: octets.subarray(at[0], at[1]),
    nonce: octets.subarray(at[1], at[2]),
    box: octets.subarray(at[2]),
  };
}

/** The data of the TXT record: character strings of at most 255 octets. */
export function replyData(nonce: Buffer, serverNonce: Buffer, box: Buffer): Buffer {
  return split(Buffer.concat([nonce, serverNonce, box]), 255);
}

export interface BoxedReply {
  nonce: Buffer;
  serverNonce: Buffer;
  box: Buffer;
}

export function readReplyData(data: Buffer): BoxedReply {
  const strings: Buffer[] = [];
  for (let at = 0; at < data.length; at += 1 + data.readUInt8(at))
    strings.push(data.subarray(at + 1, at + 1 + data.readUInt8(at)));
  const octets = Buffer.concat(strings);
  return {
    nonce: octets.subarray(0, halfNonce),
    serverNonce: octets.subarray(halfNonce, 2 * halfNonce),
    box: octets.subarray(2 * halfNonce),
  };
}

export function plainLabels(octets: Buffer): Buffer {
  return split(octets, 63);
}

export function base32Labels(octets: Buffer): Buffer {
  return plainLabels(Buffer.from(base32(octets)));
}

/** RFC 4648, lower case, without padding. */
function base32(octets: Buffer): string {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
  return groups.map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** Pieces of at most so many octets, each behind its length. */
function split(octets: Buffer, most: number): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < octets.length; at += most) {
    const piece = octets.subarray(at, at + most);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}
