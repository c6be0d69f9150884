/**
 * Changes of the system's DNS by other programs on this network: since when, how often, and what follows for us. Changes of
 * several links at one moment count once.
 */
export class Contest {
  #since: number | null = null;
  #changes: number[] = [];
  #lost = false;

  /** Another program changed our settings. */
  note(now: number): void {
    this.#since ??= now;
    this.#changes = [...this.#changes.filter((at) => at > now - withinMs), now];
    this.#lost ||= this.#changes.length >= mostChanges;
  }

  /** An earlier run of the service saw it. */
  recall(since: number): void {
    this.#since ??= since;
  }

  /** Since the first change on this network; null: there was none. */
  get since(): number | null {
    return this.#since;
  }

  /** Where the policy does not oblige us to go on, we stop here: two programs that fight leave the machine without DNS. */
  get isLost(): boolean {
    return this.#lost;
  }

  /** Whether the last change was a short time ago. */
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

  /** When it may be set again: at once the first times, then after longer and longer pauses, without end. */
  retakeAt(now: number): number {
    const recent = this.#changes.filter((at) => at > now - withinMs);
    const last = recent.at(-1);
    if (last === undefined || recent.length < mostChanges) return now;
    return last + Math.min(firstPauseMs * 2 ** (recent.length - mostChanges), longestPauseMs);
  }

  /** A person insists, so the settings are set again at once. */
  beginAgain(): void {
    this.#changes = [];
    this.#lost = false;
  }

  /** The machine is on another network. */
  forgive(): void {
    this.beginAgain();
    this.#since = null;
  }
}

const mostChanges = 5;
const withinMs = 180_000;
const firstPauseMs = 1000;
/** A DHCP lease of ten seconds is renewed every five, and names should be answered for most of that time. */
const longestPauseMs = 4000;
