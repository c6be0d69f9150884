/**
 * DNS messages by hand (RFC 1035 section 4): names stay octets, so that binary labels, unknown types and compression can be
 * compared without interpretation.
 */
import { randomInt } from 'node:crypto';

export const types = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  LOC: 29,
  SRV: 33,
  NAPTR: 35,
  OPT: 41,
  SSHFP: 44,
  DNSKEY: 48,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  CAA: 257,
  TYPE65280: 65280,
} as const;
export type TypeName = keyof typeof types;

export const rcodes = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
} as const;

interface QueryOptions {
  id?: number;
  class?: number;
  recursionDesired?: boolean;
  /** advertised UDP size; null leaves OPT out */
  edns?: number | null;
  dnssecOk?: boolean;
}

/** A name in presentation form (`\DDD` and `\X` escapes) or its labels as octets. */
export type Name = string | Buffer[];

export function encodeQuery(name: Name, type: TypeName, options: QueryOptions = {}): Buffer {
  const edns = options.edns === undefined ? 1232 : options.edns;
  const head = Buffer.alloc(12);
  head.writeUInt16BE(options.id ?? randomInt(65_536), 0);
  head.writeUInt16BE((options.recursionDesired ?? true) ? 0x0100 : 0, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(edns === null ? 0 : 1, 10);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(types[type], 0);
  tail.writeUInt16BE(options.class ?? 1, 2);
  return Buffer.concat([
    head,
    encodeName(name),
    tail,
    edns === null ? Buffer.alloc(0) : opt(edns, options.dnssecOk),
  ]);
}

function opt(size: number, dnssecOk = false): Buffer {
  const record = Buffer.alloc(11);
  record.writeUInt16BE(types.OPT, 1);
  record.writeUInt16BE(size, 3);
  record.writeUInt16BE(dnssecOk ? 0x8000 : 0, 7);
  return record;
}

export function encodeName(name: Name): Buffer {
  const labels = typeof name === 'string' ? splitLabels(name) : name;
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), label]);
  return Buffer.concat([...parts, Buffer.from([0])]);
}

function splitLabels(name: string): Buffer[] {
  const labels: number[][] = [[]];
  for (const [token] of name.replace(/\.$/, '').matchAll(/\\\d{3}|\\.|./gs)) {
    if (token === '.') labels.push([]);
    else
      labels
        .at(-1)
        ?.push(/^\\\d/.test(token) ? Number(token.slice(1)) : token.charCodeAt(token.length - 1));
  }
  return labels.filter((label) => label.length > 0).map((label) => Buffer.from(label));
}

export interface RawRecord {
  type: number;
  class: number;
  ttl: number;
  section: 'answer' | 'authority' | 'additional';
  /** where the record starts, its TTL stands, and its data starts and ends */
  start: number;
  ttlAt: number;
  dataAt: number;
  end: number;
}

export interface Message {
  octets: Buffer;
  id: number;
  rcode: number;
  truncated: boolean;
  authenticData: boolean;
  recursionAvailable: boolean;
  records: RawRecord[];
  answers: RawRecord[];
  /** end of the question section */
  questionEnd: number;
}

export function parse(octets: Buffer): Message {
  const flags = octets.readUInt16BE(2);
  let at = 12;
  for (let left = octets.readUInt16BE(4); left > 0; left--) at = skipName(octets, at) + 4;
  const questionEnd = at;
  const records: RawRecord[] = [];
  for (const [index, section] of (['answer', 'authority', 'additional'] as const).entries()) {
    for (let left = octets.readUInt16BE(6 + 2 * index); left > 0; left--) {
      const record = readRecord(octets, at, section);
      records.push(record);
      at = record.end;
    }
  }
  if (at !== octets.length) throw new Error(`${octets.length - at} octets behind the last record`);
  return {
    octets,
    id: octets.readUInt16BE(0),
    rcode: flags & 0xf,
    truncated: (flags & 0x0200) !== 0,
    authenticData: (flags & 0x0020) !== 0,
    recursionAvailable: (flags & 0x0080) !== 0,
    records,
    answers: records.filter((record) => record.section === 'answer'),
    questionEnd,
  };
}

function readRecord(octets: Buffer, start: number, section: RawRecord['section']): RawRecord {
  const at = skipName(octets, start);
  const end = at + 10 + octets.readUInt16BE(at + 8);
  if (end > octets.length) throw new Error(`the record at ${start} ends behind the message`);
  return {
    type: octets.readUInt16BE(at),
    class: octets.readUInt16BE(at + 2),
    ttl: octets.readUInt32BE(at + 4),
    section,
    start,
    ttlAt: at + 4,
    dataAt: at + 10,
    end,
  };
}

function skipName(octets: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const length = octets.readUInt8(at);
    if (length >= 0xc0) return at + 2;
    if (length === 0) return at + 1;
    at += 1 + length;
  }
}

/** What must be the same on both sides of a stub: everything except id, flags, TTLs and OPT (and the count of OPT). */
export function comparable(octets: Buffer): string {
  const message = parse(octets);
  const copy = Buffer.from(octets);
  copy.fill(0, 0, 4);
  copy.fill(0, 10, 12);
  for (const record of message.records) copy.fill(0, record.ttlAt, record.ttlAt + 4);
  const optionless = message.records.filter((record) => record.type !== types.OPT);
  const parts = optionless.map((record) => copy.subarray(record.start, record.end));
  return Buffer.concat([copy.subarray(0, message.questionEnd), ...parts]).toString('hex');
}

/** The response of a scripted server: the question section of the query, with one address. */
export function addressAnswer(query: Buffer, address: string, ttl = 300): Buffer {
  const { questionEnd } = parse(query);
  const head = Buffer.from(query.subarray(0, questionEnd));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 6);
  head.writeUInt32BE(0, 8);
  const record = Buffer.from('c00c0001000100000000000400000000', 'hex');
  record.writeUInt32BE(ttl, 6);
  record.set(address.split('.').map(Number), 12);
  return Buffer.concat([head, record]);
}

/** Lower-case presentation form of the query's name, good enough for the plain names of these tests. */
export function nameAsked(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += 1 + query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query.readUInt8(at)));
  }
  return labels.join('.').toLowerCase();
}
