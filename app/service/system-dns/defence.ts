/** What is done about somebody else's changes of the system's DNS: they are noted, what goes past us is rejected, a person is told. */
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
  /** Since when queries may go past us because somebody else changed the system's DNS, null: they may not. For the ledger. */
  noteContest(since: number | null): void;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
  now(): number;
}

export interface Wish extends Pick<ClosingFacts, 'setting' | 'strict'> {
  /** the system's DNS is to be with us */
  wanted: boolean;
}

/** So long what was told may take to be in place. */
const settleMs = 1000;

/** What was told is in the hands of whoever told it; this only looks at it. */
export class Defence {
  readonly #parts: DefenceParts;
  readonly #contest = new Contest();
  #wish: Wish = { setting: 'contested', strict: true, wanted: false };
  /** since it is wanted it was with us */
  #wasOurs = false;
  #held = false;
  /** what we told is not in place, by somebody else's doing */
  #overwritten = false;
  /** since when something was told that was not seen in place yet; null: nothing */
  #toldAt: number | null = null;
  /** since when somebody else seems to be asked; null: nobody does */
  #suspectedAt: number | null = null;
  /** whether whoever knows for certain was asked about that yet; null: it has answered */
  #doubt: 'new' | 'asked' | null = null;
  /** since when queries may go past us; null: they may not */
  #passingSince: number | null = null;

  constructor(parts: DefenceParts) {
    this.#parts = parts;
  }

  /** What an earlier life has closed, it had a reason for. */
  async learn(): Promise<void> {
    const { closing } = this.#parts;
    await closing.learn();
    const closed = closing.closed();
    if (closed?.why === 'contested') this.#contest.recall(closed.since);
  }

  /** Whoever knows for certain is about to be asked. */
  beginLook(): void {
    if (this.#doubt !== null) this.#doubt = 'asked';
  }

  /** Counted once each time that what we told is no longer in place, however many links that are. */
  look(held: readonly Holding[]): void {
    const now = this.#parts.now();
    // What is kept for the next boot need not be in force in this one.
    const inPlace = held.every((one) => one.overBoot === true || stands(one));
    if (inPlace) this.#toldAt = null;
    const overwritten = !inPlace && !this.#isSettling(now);
    // Who seemed to lead away may have been us, who told it a moment ago, or somebody else: that is known a moment later.
    if (this.#doubt === 'asked' && (inPlace || overwritten)) this.#doubt = null;
    if (overwritten && !this.#overwritten) this.#contest.note(now);
    this.#overwritten = overwritten;
    this.#held = held.some((one) => one.overBoot !== true || stands(one));
  }

  /** NetworkManager says yes before it is so. Where somebody is known to change it, nothing is waited for. */
  #isSettling(now: number): boolean {
    const toldAt = this.#toldAt;
    return toldAt !== null && now - toldAt < settleMs && this.#contest.since === null;
  }

  /** It was told again: who changes it from now on does it anew. */
  told(): void {
    this.#overwritten = false;
    this.#toldAt ??= this.#parts.now();
  }

  /** Rejects what goes past us, or no longer; `blind`: nobody could say whether what we told is in place. */
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

  /** Somebody else seems to be asked: rejected at once, whatever is under way, until whoever knows for certain was asked. */
  async suspect(wish: Wish): Promise<void> {
    this.#suspectedAt ??= this.#parts.now();
    this.#doubt = 'new';
    if (wish.wanted && wish.strict) await this.settle(wish);
  }

  /** The same where it can't wait: what goes past us meanwhile has its entry. */
  async settleIfOverwritten(wish: Wish): Promise<Result<null>> {
    if (!this.#overwritten || !wish.wanted) return succeed(null);
    const settled = await this.settle(wish);
    this.tell();
    return settled;
  }

  /** When it may be told again; null: it is in place */
  retakeAt(): number | null {
    return this.#overwritten ? this.#contest.retakeAt(this.#parts.now()) : null;
  }

  mayRetake(): boolean {
    return (this.retakeAt() ?? 0) <= this.#parts.now();
  }

  /** When what was told is late, if it is not in place by then; null: it is in place, or known to be changed */
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
