/** By then the parts have opened what they open; a service that ends sooner need not tidy up first. */
const startedMs = 20_000;

/** Gives back what a thread's start took. */
export function giveBackAfterStart(): void {
  setTimeout(giveBackMemory, startedMs).unref();
}

/**
 * V8 gives memory back to the system as it allocates more; a thread that has finished its work and waits would keep what that
 * work took. Node has to run with --expose-gc (build/places.mjs); without it nothing happens.
 */
function giveBackMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Under a load that goes on: it takes little more than half as long, and leaves a few megabytes. */
function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'regular' });
}

const quietMs = 500;
/** A page that is opened takes a third of a megabyte, and a collection a tenth of a second of the processor. */
const burstOctets = 2 * 1024 * 1024;
/** Under a load without an end V8 would let garbage grow to tens of megabytes before it looks. */
const steadyOctets = 16 * 1024 * 1024;

/**
 * Gives memory back at the end of each burst of messages, and now and then in one that does not end. One for a thread; it
 * keeps no thread alive.
 */
export class RestAfterBurst {
  readonly #rest = setTimeout(() => this.#quiet(), quietMs).unref();
  #octets = 0;
  #sinceCollected = 0;

  handled(octets: number): void {
    this.#octets += octets;
    this.#sinceCollected += octets;
    if (this.#sinceCollected >= steadyOctets) {
      this.#sinceCollected = 0;
      collectGarbage();
    }
    this.#rest.refresh();
  }

  #quiet(): void {
    if (this.#octets < burstOctets) return;
    this.#octets = 0;
    this.#sinceCollected = 0;
    giveBackMemory();
  }
}
