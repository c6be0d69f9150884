/** The chain of the audit log's records, as octets: how a record is written, and how files are judged. Pure. */
import { createHash } from 'node:crypto';
import {
  type AuditHead,
  type AuditRecord,
  auditRecord,
} from '../../contract/protection/audit-record.ts';

export const noRecords: AuditHead = { records: 0, hash: '0'.repeat(64) };

/** Without the line's end. */
export function writeRecord({ seq, time, event, who, fields, prev }: AuditRecord): string {
  return JSON.stringify({ seq, time, event, who, fields, prev });
}

export function sha256(octets: string | Uint8Array): string {
  return createHash('sha256').update(octets).digest('hex');
}

export interface Judged {
  /** the oldest first, those behind a break included */
  records: AuditRecord[];
  /** the one before the first of them, as its `prev` and `seq` say; `noRecords`: the log begins here */
  before: AuditHead;
  head: AuditHead;
  /** by number, as far as the chain holds */
  hashes: Map<number, string>;
  /** octets after the last record that are none, as a crash leaves them; 0: none */
  torn: number;
  /** the first place where the chain does not hold; null: it holds */
  broken: { line: number; why: string } | null;
}

/**
 * Several files are given one after the other, the oldest first. What is no record counts as torn where the next record says so
 * (`interrupted`), or where nothing follows; everything else breaks the chain.
 */
export function judgeChain(octets: Buffer): Judged {
  const chain = new Chain();
  let [start, line] = [0, 0];
  for (let end = octets.indexOf(lineEnd); end >= 0; end = octets.indexOf(lineEnd, start)) {
    line += 1;
    chain.take(octets.subarray(start, end), line);
    start = end + 1;
  }
  return chain.end(octets.subarray(start), line + 1);
}

export const lineEnd = 0x0a;

/** Null: it is no record, or not written as records are. */
export function readRecord(octets: Uint8Array): AuditRecord | null {
  const text = Buffer.from(octets).toString('utf8');
  try {
    const read = auditRecord.safeParse(JSON.parse(text)).data ?? null;
    return read !== null && writeRecord(read) === text ? read : null;
  } catch {
    return null;
  }
}

class Chain {
  readonly #records: AuditRecord[] = [];
  readonly #hashes = new Map<number, string>();
  #before = noRecords;
  #head = noRecords;
  /** lines since the last record that are none, with their ends */
  #torn: Buffer[] = [];
  #broken: Judged['broken'] = null;

  take(octets: Buffer, line: number): void {
    const record = readRecord(octets);
    if (record === null) {
      this.#torn.push(octets, Buffer.from('\n'));
      return;
    }
    const why = this.#fault(record);
    if (why !== null) this.#broken ??= { line, why };
    this.#torn = [];
    this.#records.push(record);
    this.#head = { records: record.seq, hash: sha256(octets) };
    if (this.#broken === null) this.#hashes.set(record.seq, this.#head.hash);
  }

  end(unended: Buffer, line: number): Judged {
    // Only the end of the line is missing: nothing of the record is.
    const isWhole = readRecord(unended) !== null;
    if (isWhole) this.take(unended, line);
    const rest = isWhole ? 0 : unended.length;
    const torn = this.#torn.reduce((sum, { length }) => sum + length, rest);
    if (isTooMuch(this.#torn)) this.#broken ??= { line, why: 'the last lines are no records' };
    return {
      records: this.#records,
      before: this.#before,
      head: this.#head,
      hashes: this.#hashes,
      torn,
      broken: this.#broken,
    };
  }

  #fault({ seq, prev, event, fields }: AuditRecord): string | null {
    const isFirst = this.#head === noRecords;
    if (isFirst) this.#before = { records: seq - 1, hash: prev };
    const { records, hash } = isFirst ? this.#before : this.#head;
    const torn = Buffer.concat(this.#torn);
    if (seq !== records + 1) return `record ${seq} follows record ${records}`;
    if (seq === 1 && prev !== noRecords.hash) return 'the first record names one before it';
    if (prev !== hash) return `record ${records} is not the one that record ${seq} follows`;
    if (torn.length === 0) return null;
    const isTold =
      event === 'interrupted' &&
      !isTooMuch(this.#torn) &&
      fields['octets'] === torn.length &&
      fields['sha256'] === sha256(torn);
    return isTold ? null : `between record ${records} and record ${seq} stands what is no record`;
  }
}

/** A record is one line, so a crash leaves the part of one; more only where it comes again while that is being told. */
function isTooMuch(torn: readonly Buffer[]): boolean {
  const [line, end] = [1, 1];
  return torn.length > mostTornLines * (line + end);
}

const mostTornLines = 8;
