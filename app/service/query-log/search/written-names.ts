/**
 * Names as they are to be written, by number. Neighbours are read together: names that were first looked up at the same time
 * are often looked up together again, and one by one they would take as long as all the rest of a row.
 */
import type { Database, Statement } from 'better-sqlite3';
import type { TextOctets } from './text-octets.ts';

const neighbours = 64;
/** Half a million names, some twenty megabytes. */
const mostRemembered = 8192;

interface Neighbourhood {
  octets: Buffer;
  /** by place: where each begins in `octets`, and in the end where the last one ends */
  starts: Uint32Array;
  /** by place: whether there is such a name */
  known: readonly boolean[];
}

export class WrittenNames {
  readonly #range: Statement;
  readonly #harmless: (name: string) => string;
  readonly #remembered = new Map<number, Neighbourhood>();

  constructor(database: Database, harmless: (name: string) => string) {
    this.#range = database
      .prepare('SELECT id, name FROM names WHERE id >= ? AND id < ? ORDER BY id')
      .raw();
    this.#harmless = harmless;
  }

  /** Throws where there is no such name. */
  write(to: TextOctets, id: number): void {
    const number = Math.floor(id / neighbours);
    const place = id - number * neighbours;
    let all = this.#remembered.get(number);
    // There may have been fewer names around the newest one when they were read.
    if (all?.known[place] !== true) all = this.#read(number);
    if (all.known[place] !== true) throw new RangeError(`there is no name ${id}`);
    to.part(all.octets, all.starts[place] as number, all.starts[place + 1] as number);
  }

  #read(number: number): Neighbourhood {
    const first = number * neighbours;
    const rows = this.#range.all(first, first + neighbours) as [id: number, name: string][];
    const texts = new Array<string | undefined>(neighbours).fill(undefined);
    for (const [id, name] of rows) texts[id - first] = this.#harmless(name);
    const starts = new Uint32Array(neighbours + 1);
    for (const [place, text = ''] of texts.entries())
      starts[place + 1] = (starts[place] as number) + Buffer.byteLength(text);
    const octets = Buffer.from(texts.join(''));
    const read = { octets, starts, known: texts.map((text) => text !== undefined) };
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    this.#remembered.set(number, read);
    return read;
  }
}
