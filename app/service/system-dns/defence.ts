/**
 * What happens when another program changes the system's DNS: the change is noted, DNS that goes past us is rejected, and a
 * person gets a health issue.
 */
import { type Result, succeed } from '../../contract/errors.ts';
import type { SystemDnsDetails, SystemDnsStatus } from '../../contract/system/system-dns.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { Closing, ClosingFacts } from './closing.ts';
import { Contest } from './contest.ts';
import { type ContestFacts, mayPass, sayContest } from './contest-told.ts';
import type { Holding } from './mechanism.ts';
import { stands } from './plan.ts';

export interface DefenceParts {
  closing: Closing;
  /** Since when queries may go past us because another program changed the system's DNS; null: they may not. For the ledger. */
  noteContest(since: number | null): void;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
  now(): number;
}

export interface Wish extends Pick<ClosingFacts, 'setting' | 'strict'> {
  /** the system's DNS is to be with us */
  wanted: boolean;
}

/** How long our settings may take to be in place. */
const settleMs = 1000;

/** Observes whether our settings are in place. Its caller sets them. */
export class Defence {
  readonly #parts: DefenceParts;
  readonly #contest = new Contest();
  #wish: Wish = { setting: 'contested', strict: true, wanted: false };
  /** it was with us at least once since it is wanted */
  #wasOurs = false;
  #held = false;
  /** another program replaced our settings */
  #overwritten = false;
  /** since when we have set something that was not seen in place yet; null: nothing */
  #toldAt: number | null = null;
  /** since when the system seems to use another resolver; null: it does not */
  #suspectedAt: number | null = null;
  /**
   * whether the mechanism was read since that suspicion began: `new`, not yet; `asked`, a reading is under way; null: there is
   * no suspicion
   */
  #doubt: 'new' | 'asked' | null = null;
  /** since when queries may go past us; null: they may not */
  #passingSince: number | null = null;

  constructor(parts: DefenceParts) {
    this.#parts = parts;
  }

  /** Recalls a contest that an earlier run of the service has closed the gate for. */
  async learn(): Promise<void> {
    const { closing } = this.#parts;
    await closing.learn();
    const closed = closing.closed();
    if (closed?.why === 'contested') this.#contest.recall(closed.since);
  }

  /** The mechanism is about to be read. */
  beginLook(): void {
    if (this.#doubt !== null) this.#doubt = 'asked';
  }

  /** Counts once each time that our settings are no longer in place, however many links are concerned. */
  look(held: readonly Holding[]): void {
    const now = this.#parts.now();
    // Settings for the next boot need not be in force in this one.
    const inPlace = held.every((one) => one.overBoot === true || stands(one));
    if (inPlace) this.#toldAt = null;
    const overwritten = !inPlace && !this.#isSettling(now);
    // The suspicion may have come from our own change a moment ago, or from another program. The reading has decided it.
    if (this.#doubt === 'asked' && (inPlace || overwritten)) this.#doubt = null;
    if (overwritten && !this.#overwritten) this.#contest.note(now);
    this.#overwritten = overwritten;
    this.#held = held.some((one) => one.overBoot !== true || stands(one));
  }

  /** NetworkManager reports success before the change is in place. In a contest there is no such wait. */
  #isSettling(now: number): boolean {
    const toldAt = this.#toldAt;
    return toldAt !== null && now - toldAt < settleMs && this.#contest.since === null;
  }

  /** Our settings were set again: a later change is a new one. */
  told(): void {
    this.#overwritten = false;
    this.#toldAt ??= this.#parts.now();
  }

  /** Starts or stops rejecting what goes past us; `blind`: nothing could say whether our settings are in place. */
  async settle(wish: Wish, blind = false): Promise<Result<null>> {
    this.#wish = wish;
    this.#wasOurs = wish.wanted && (this.#wasOurs || this.#held);
    const { closing } = this.#parts;
    const unsure = blind || this.#doubt !== null;
    return await closing.settle({
      setting: wish.setting,
      strict: wish.strict,
      ours: wish.wanted && (this.#wasOurs || closing.closed() !== null),
      contested: this.#contest.since !== null || unsure,
      stands: this.#held && !this.#overwritten && !unsure,
    });
  }

  /**
   * The system seems to use another resolver: port 53 past us is rejected at once, whatever is under way, until the mechanism
   * was read.
   */
  async suspect(wish: Wish): Promise<void> {
    this.#suspectedAt ??= this.#parts.now();
    this.#doubt = 'new';
    if (wish.wanted && wish.strict) await this.settle(wish);
  }

  /** Settles at once where our settings were replaced, so that what goes past us meanwhile has its entry. */
  async settleIfOverwritten(wish: Wish): Promise<Result<null>> {
    if (!this.#overwritten || !wish.wanted) return succeed(null);
    const settled = await this.settle(wish);
    this.tell();
    return settled;
  }

  /** When our settings may be set again; null: they are in place */
  retakeAt(): number | null {
    return this.#overwritten ? this.#contest.retakeAt(this.#parts.now()) : null;
  }

  mayRetake(): boolean {
    return (this.retakeAt() ?? 0) <= this.#parts.now();
  }

  /** When our settings are late, if they are not in place by then; null: they are in place, or known to be changed */
  lateAt(): number | null {
    const isSettling = this.#isSettling(this.#parts.now());
    return isSettling && this.#toldAt !== null ? this.#toldAt + settleMs : null;
  }

  /** When queries are believed to pass us no longer, if nobody changes it again; null: they do not pass, or nobody can say */
  calmAt(): number | null {
    return this.#passingSince === null ? null : this.#contest.calmAt(this.#parts.now());
  }

  isLost({ strict }: Pick<Wish, 'strict'>): boolean {
    return this.#contest.isLost && !strict;
  }

  tell(): void {
    const facts = this.#facts();
    const seenAt = this.#suspectedAt ?? this.#parts.now();
    if (this.#doubt === null) this.#suspectedAt = null;
    this.#passingSince = mayPass(facts) ? (this.#passingSince ?? seenAt) : null;
    this.#parts.noteContest(this.#passingSince);
    const details = sayContest(facts);
    if (details === null) this.#parts.health.clear('system-dns-contested');
    else this.#parts.health.raise('system-dns-contested', details);
  }

  /** Open as long as the ledger's entry is. */
  status(): SystemDnsStatus['contest'] {
    const { since } = this.#contest;
    const closed = this.#parts.closing.closed() !== null;
    if (since === null || (!closed && this.#passingSince === null)) return null;
    return {
      since,
      closed,
      constant: this.#contest.isConstant(this.#parts.now()),
    };
  }

  gate(): SystemDnsDetails['gate'] {
    const { closing } = this.#parts;
    return { closed: closing.closed(), unavailable: closing.unavailable() };
  }

  beginAgain(): void {
    this.#contest.beginAgain();
  }

  forgive(): void {
    this.#contest.forgive();
  }

  #facts(): ContestFacts {
    const { closing, now } = this.#parts;
    return {
      contested: this.#contest.since !== null,
      live: this.#contest.isLive(now()),
      stands: !this.#overwritten,
      lost: this.isLost(this.#wish),
      closed: closing.closed() !== null,
      unavailable: closing.unavailable(),
    };
  }
}
