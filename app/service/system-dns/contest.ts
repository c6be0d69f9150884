/** When another program has changed what we told so often, so soon, that we stop: two that fight leave nobody with DNS. */
const mostChanges = 5;
const withinMs = 180_000;

export class Contest {
  #changes: number[] = [];

  /** Somebody changed it; whether that was once too often. */
  note(now: number): boolean {
    this.#changes = [...this.#changes.filter((at) => at > now - withinMs), now];
    return this.#changes.length >= mostChanges;
  }

  forgive(): void {
    this.#changes = [];
  }
}
