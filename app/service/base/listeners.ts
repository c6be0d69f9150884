/** The listeners of an event. */
export class Listeners<Value> {
  readonly #listeners = new Set<(value: Value) => void>();

  /** The function returned ends it. */
  add(listener: (value: Value) => void): () => void {
    const own = (value: Value) => listener(value);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  clear(): void {
    this.#listeners.clear();
  }
}
