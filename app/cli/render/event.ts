/** One query as one line: time, type, name, outcome, upstream, transport, cost, time spent, program, and anything unusual. */

import { askerName } from '../../contract/query-log/asker-name.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { clockTime, dayOf } from '../terminal/clock.ts';
import type { Paint, Terminal } from '../terminal/terminal.ts';
import { displayWidth, keepEnd, padEnd, padStart } from '../terminal/terminal-text.ts';

const fixed = { time: 12, type: 5, outcome: 9, transport: 4, cost: 7, ms: 9 } as const;
const leastName = 24;
/** A program may call itself what it wants. */
const mostProgram = 32;
const gap = '  ';

/**
 * Names, upstreams and programs set the width of their columns; it only grows, so that lines already printed stay aligned. Dates are
 * shown from the first query on that is not of today.
 */
export class EventLines {
  readonly #terminal: Terminal;
  #name: number = leastName;
  #upstream = 5;
  #program = 1;
  readonly #today: string;
  #withDates = false;

  /** `now`: which day is today */
  constructor(terminal: Terminal, now: number) {
    this.#terminal = terminal;
    this.#today = dayOf(now);
  }

  /** Makes room for all of these before the first is printed. */
  prepare(events: readonly QueryEvent[]): void {
    for (const event of events) this.#widen(event);
  }

  render(event: QueryEvent): string {
    this.#widen(event);
    const paint = attention(event);
    const cells = [
      this.#time(event.at),
      padEnd(safe(event.type), fixed.type),
      padEnd(keepEnd(nameOf(event), this.#name), this.#name),
      padEnd(event.outcome, fixed.outcome),
      padEnd(upstreamOf(event), this.#upstream),
      padEnd(orDash(event.transport), fixed.transport),
      padEnd(orDash(event.cost), fixed.cost),
      padStart(sayLatency(event.ms), fixed.ms),
      padEnd(keepEnd(programOf(event), mostProgram), this.#program),
    ];
    const note = noteOf(event);
    const line = [...cells, ...(note === '' ? [] : [note])].join(gap).trimEnd();
    return paint === null ? line : this.#terminal.paint(paint, line);
  }

  #time(at: number): string {
    return this.#withDates ? `${dayOf(at)} ${clockTime(at)}` : clockTime(at);
  }

  #widen(event: QueryEvent): void {
    this.#withDates ||= dayOf(event.at) !== this.#today;
    this.#upstream = Math.max(this.#upstream, displayWidth(upstreamOf(event)));
    const program = Math.min(mostProgram, displayWidth(programOf(event)));
    this.#program = Math.max(this.#program, program);
    const date = this.#withDates ? '2026-01-31 '.length : 0;
    const others = Object.values(fixed).reduce((sum, width) => sum + width + gap.length, date);
    const left =
      (this.#terminal.width ?? Number.POSITIVE_INFINITY) -
      others -
      this.#upstream -
      this.#program -
      2 * gap.length;
    const wanted = Math.max(this.#name, displayWidth(nameOf(event)));
    this.#name = Math.max(leastName, Math.min(wanted, left));
  }
}

/** Where the log has no names, the query still has a line. */
function nameOf({ name }: QueryEvent): string {
  return name === '' ? '–' : safe(name);
}

function upstreamOf({ upstream }: QueryEvent): string {
  return upstream === '' ? '–' : safe(upstream);
}

/** A local forwarder asks for another program, which nobody can know. Over UDP nothing proves who asks. */
function programOf({ asker }: QueryEvent): string {
  const name = safe(askerName(asker));
  if (name === '') return '–';
  const whom = asker.attribution === 'seems' ? `seems ${name}` : name;
  return asker.forwards ? `${whom}, for somebody` : whom;
}

function orDash(word: QueryEvent['cost'] | QueryEvent['transport']): string {
  return word === 'none' ? '–' : word;
}

function attention({ outcome, clear }: QueryEvent): Paint | null {
  if (outcome === 'failed' || outcome === 'refused') return 'red';
  if (clear !== 'none') return 'yellow';
  return outcome === 'cached' || outcome === 'local' ? 'dim' : null;
}

function noteOf({ outcome, clear, reason, rcode, extendedError }: QueryEvent): string {
  const inCleartext = clear === 'none' ? [] : [`in cleartext (${clear})`];
  const why = outcome === 'failed' || outcome === 'refused' ? [safe(reason) || rcode] : [];
  const code = why.length > 0 && extendedError !== null ? [`extended error ${extendedError}`] : [];
  return [...inCleartext, ...why, ...code].join(', ');
}
