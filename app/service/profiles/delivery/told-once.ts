/** What lies at a source, and is refused, is found at each look. It is told once, and again only after a look that did not find it. */
import { createHash } from 'node:crypto';

export class ToldOnce {
  #told: ReadonlySet<string> = new Set();
  #found = new Set<string>();

  /** `words`: all by which it is known again, its octets among them */
  isNew(words: readonly string[]): boolean {
    const hash = createHash('sha256').update(JSON.stringify(words)).digest('base64');
    const isNew = !this.#told.has(hash) && !this.#found.has(hash);
    this.#found.add(hash);
    return isNew;
  }

  /** The look is over. Not whole: the source was not reached, so that nothing has ended. */
  end(isWhole: boolean): void {
    this.#told = isWhole ? this.#found : new Set([...this.#told, ...this.#found]);
    this.#found = new Set();
  }
}
