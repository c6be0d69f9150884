/**
 * Text being written, octet by octet: a million rows of thirty numbers and words each are put together several times as fast
 * as strings are added up.
 */

/** What follows the point: "" for 0, ".05" for 50. */
const thousandths = Array.from({ length: 1000 }, (_, part) =>
  part === 0 ? '' : `.${String(part).padStart(3, '0').replace(/0+$/, '')}`,
);
const threeDigits = Array.from({ length: 1000 }, (_, part) => String(part).padStart(3, '0'));

/** A character has three octets at most, for each of its units. */
const octetsAUnit = 3;

export class TextOctets {
  #octets = Buffer.allocUnsafe(1024 * 1024);
  #length = 0;
  #second = { since1970: Number.NaN, text: '' };

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    this.#makeRoom(text.length * octetsAUnit);
    const octets = this.#octets;
    const start = this.#length;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) {
        this.#length = start + octets.write(text, start);
        return;
      }
      octets[start + index] = unit;
    }
    this.#length = start + text.length;
  }

  /** Whole. */
  number(value: number): void {
    if (value < 0 || value > 0x7fff_ffff) {
      this.text(String(value));
      return;
    }
    this.#makeRoom(10);
    let end = this.#length + 1;
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end += 1;
    this.#length = end;
    let rest = value;
    do {
      const left = (rest / 10) | 0;
      end -= 1;
      this.#octets[end] = 0x30 + rest - left * 10;
      rest = left;
    } while (rest > 0);
  }

  /** Of microseconds, with what there is behind the point, as JavaScript writes it. */
  milliseconds(microseconds: number): void {
    const whole = Math.floor(microseconds / 1000);
    this.number(whole);
    this.text(thousandths[microseconds - whole * 1000] ?? '');
  }

  /** Of unix microseconds: 2026-01-31T12:00:00.000Z. Rows next to each other often share their second. */
  time(microseconds: number): void {
    const whole = Math.floor(microseconds / 1000);
    const since1970 = Math.floor(whole / 1000);
    if (this.#second.since1970 !== since1970) {
      const text = new Date(since1970 * 1000).toISOString().slice(0, -'000Z'.length);
      this.#second = { since1970, text };
    }
    this.text(this.#second.text);
    this.text(threeDigits[whole - since1970 * 1000] ?? '');
    this.text('Z');
  }

  toString(): string {
    return this.#octets.toString('utf8', 0, this.#length);
  }

  #makeRoom(octets: number): void {
    if (this.#length + octets <= this.#octets.length) return;
    const larger = Buffer.allocUnsafe(2 * this.#octets.length + octets);
    this.#octets.copy(larger, 0, 0, this.#length);
    this.#octets = larger;
  }
}
