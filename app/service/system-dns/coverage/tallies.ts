/**
 * Adds up what the gate counts. The kernel forgets a row after ten minutes, and all of them when the table is made anew, so each
 * reading is compared with the one before. No effects.
 */
import type { Counted, CountedRow } from '../../../contract/system/gate-protocol.ts';
import { type Activity, noActivity, noteActivity } from './activity.ts';
import { keyOfSender, type Sender, senderOf } from './sender.ts';

export interface Tally {
  sender: Sender;
  /** "ip:port", the newest first */
  to: readonly string[];
  left: number;
  rejected: number;
  /** unix milliseconds, like `newest` */
  since: number;
  newest: number;
  activity: Activity;
}

/** As native/helper/src/gate/coverage/table.rs says. */
const forgetsAfterMs = 600_000;
const mostSenders = 512;
const mostDestinations = 8;

export class Tallies {
  #table: number | null = null;
  #rows = new Map<string, CountedRow>();
  /** the one that sent longest ago first */
  readonly #tallies = new Map<string, Tally>();

  add({ table, rows }: Counted, isPhysical: (link: string) => boolean): void {
    const before = table === this.#table ? this.#rows : new Map<string, CountedRow>();
    this.#table = table;
    this.#rows = new Map(rows.map((row) => [keyOfRow(row), row]));
    for (const row of [...rows].sort((a, b) => a.newest - b.newest)) {
      const { tried, left } = newIn(row, before.get(keyOfRow(row)));
      if (tried > 0 || left > 0) this.#note(senderOf(row.by, isPhysical), row, left, tried - left);
    }
  }

  list(): Tally[] {
    return [...this.#tallies.values()].reverse();
  }

  #note(sender: Sender, { to, port, newest }: CountedRow, left: number, rejected: number): void {
    const key = keyOfSender(sender);
    const known = this.#tallies.get(key) ?? begun(sender, newest);
    const address = destination(to, port);
    this.#tallies.delete(key);
    this.#tallies.set(key, {
      sender,
      to: [address, ...known.to.filter((one) => one !== address)].slice(0, mostDestinations),
      left: known.left + left,
      rejected: known.rejected + Math.max(0, rejected),
      since: known.since,
      newest: Math.max(known.newest, newest),
      activity: left === 0 ? known.activity : noteActivity(known.activity, newest, left),
    });
    const [oldest] = this.#tallies.keys();
    if (this.#tallies.size > mostSenders && oldest !== undefined) this.#tallies.delete(oldest);
  }
}

/** What came since the reading before. */
function newIn(
  row: CountedRow,
  before: CountedRow | undefined,
): Pick<CountedRow, 'tried' | 'left'> {
  const began =
    before === undefined ||
    row.left < before.left ||
    row.tried < before.tried ||
    row.newest - before.newest >= forgetsAfterMs;
  return began ? row : { tried: row.tried - before.tried, left: row.left - before.left };
}

function begun(sender: Sender, at: number): Tally {
  return { sender, to: [], left: 0, rejected: 0, since: at, newest: at, activity: noActivity };
}

function keyOfRow({ by, protocol, port, to }: CountedRow): string {
  return JSON.stringify([keyOf(by), protocol, port, to]);
}

function keyOf(by: CountedRow['by']): unknown[] {
  if (by === null) return [];
  return 'account' in by ? [by.user, by.group] : [by.interface, by.from];
}

/** "any" where there were too many addresses to count them one by one. */
function destination(to: string | null, port: number): string {
  if (to === null) return `any:${port}`;
  return to.includes(':') ? `[${to}]:${port}` : `${to}:${port}`;
}
