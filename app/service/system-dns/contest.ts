/**
 * Who else changes the system's DNS on this network: since when, how often, and what follows for us. Several links that are
 * changed at one moment count once, whichever they are.
 */
export class Contest {
  #since: number | null = null;
  #changes: number[] = [];
  #lost = false;

  /** Somebody changed what we told. */
  note(now: number): void {
    this.#since ??= now;
    this.#changes = [...this.#changes.filter((at) => at > now - withinMs), now];
    this.#lost ||= this.#changes.length >= mostChanges;
  }

  /** An earlier life of ours saw it. */
  recall(since: number): void {
    this.#since ??= since;
  }

  /** Since the first change on this network; null: nobody changed anything. */
  get since(): number | null {
    return this.#since;
  }

  /** Where nothing obliges us to go on, we stop here: two that fight leave nobody with DNS. */
  get isLost(): boolean {
    return this.#lost;
  }

  /** Whether somebody changed it lately. */
  isLive(now: number): boolean {
    return this.#changes.some((at) => at > now - withinMs);
  }

  /** When that is no longer so, if nobody changes it again; null: nobody did lately */
  calmAt(now: number): number | null {
    const last = this.#changes.at(-1);
    return last !== undefined && this.isLive(now) ? last + withinMs : null;
  }

  /** Whether it is changed so often that telling it again waits: it is with us for moments only. */
  isConstant(now: number): boolean {
    return this.#changes.filter((at) => at > now - withinMs).length >= mostChanges;
  }

  /** When it may be told again: at once the first times, then later and later, and for ever. */
  retakeAt(now: number): number {
    const recent = this.#changes.filter((at) => at > now - withinMs);
    const last = recent.at(-1);
    if (last === undefined || recent.length < mostChanges) return now;
    return last + Math.min(firstPauseMs * 2 ** (recent.length - mostChanges), longestPauseMs);
  }

  /** A person insists: what they want is told again at once. */
  beginAgain(): void {
    this.#changes = [];
    this.#lost = false;
  }

  /** Another network. */
  forgive(): void {
    this.beginAgain();
    this.#since = null;
  }
}

const mostChanges = 5;
const withinMs = 180_000;
const firstPauseMs = 1000;
/** A DHCP lease of ten seconds is renewed every five: names are to be answered for most of that. */
const longestPauseMs = 4000;
