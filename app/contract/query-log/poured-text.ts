/**
 * How `log.pour` sends the text of an export: parts one after the other, each with a head of nine octets – its kind, the octets
 * that follow, and the rows in them, both numbers in network byte order. Only a part of the kind `end` ends the text: a text
 * without it is incomplete.
 */
const kinds = { text: 0x74, end: 0x65, failure: 0x66 } as const;
export const partHeadOctets = 9;
/** Longer than any part; more means that the peer sends something else. */
const longestPart = 256 * 1024 * 1024;
/** Longer than any failure. */
const longestFailure = 64 * 1024;

/** The client sends this once it has stopped reading messages: then the text begins. */
export const goOctet = 0x0a;

export function partHead(kind: keyof typeof kinds, octets: number, rows = 0): Uint8Array {
  const head = new Uint8Array(partHeadOctets);
  const view = new DataView(head.buffer);
  view.setUint8(0, kinds[kind]);
  view.setUint32(1, octets);
  view.setUint32(5, rows);
  return head;
}

export type Poured =
  | { kind: 'text'; octets: Uint8Array }
  /** this many more rows are complete now */
  | { kind: 'rows'; rows: number }
  | { kind: 'end' }
  /** a `Failure`, for the reader to check */
  | { kind: 'failure'; said: unknown };

/** Reads the parts from chunks of any size. The text's octets are passed on as they come, never gathered. */
export class PouredReader {
  readonly #head = new Uint8Array(partHeadOctets);
  #headLength = 0;
  #kind: number = kinds.text;
  #left = 0;
  #rows = 0;
  #said: number[] = [];

  /** Throws where the octets are no parts. */
  *read(chunk: Uint8Array): Generator<Poured> {
    let rest = chunk;
    while (rest.length > 0) {
      if (!this.#hasHead()) rest = this.#takeHead(rest);
      else {
        const octets = rest.subarray(0, this.#left);
        rest = rest.subarray(octets.length);
        this.#left -= octets.length;
        if (this.#kind === kinds.text) yield { kind: 'text', octets };
        else this.#said.push(...octets);
      }
      if (this.#hasHead() && this.#left === 0) {
        this.#headLength = 0;
        yield this.#whole();
      }
    }
  }

  #hasHead(): boolean {
    return this.#headLength === partHeadOctets;
  }

  /** Returns the rest of the chunk. */
  #takeHead(chunk: Uint8Array): Uint8Array {
    const octets = chunk.subarray(0, partHeadOctets - this.#headLength);
    this.#head.set(octets, this.#headLength);
    this.#headLength += octets.length;
    if (this.#hasHead()) this.#begin();
    return chunk.subarray(octets.length);
  }

  #begin(): void {
    const view = new DataView(this.#head.buffer);
    this.#kind = view.getUint8(0);
    this.#left = view.getUint32(1);
    this.#rows = view.getUint32(5);
    const most = this.#kind === kinds.text ? longestPart : longestFailure;
    if (!Object.values<number>(kinds).includes(this.#kind) || this.#left > most)
      throw new RangeError('this is not the text of an export');
  }

  #whole(): Poured {
    if (this.#kind === kinds.text) return { kind: 'rows', rows: this.#rows };
    if (this.#kind === kinds.end) return { kind: 'end' };
    const said = new TextDecoder().decode(Uint8Array.from(this.#said));
    return { kind: 'failure', said: JSON.parse(said) };
  }
}
