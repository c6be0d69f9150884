/** On, off or paused, as the person left it: kept across restarts. A pause ends by itself, also while we don't run, and whatever the time of day is. */

import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { fill } from '../../contract/sentences/sentence-template.ts';
import { writeDurably } from '../base/durable-file.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { MachineClock } from '../base/machine-clock.ts';

const unixMilliseconds = z.number().nonnegative();

const lastingPosition = z.discriminatedUnion('protection', [
  z.strictObject({
    protection: z.literal('off'),
    since: unixMilliseconds,
    who: z.string(),
    until: z.null(),
  }),
  z.strictObject({
    protection: z.literal('paused'),
    since: unixMilliseconds,
    who: z.string(),
    /** null: until the service starts again */
    until: unixMilliseconds.nullable(),
    /** a help desk allowed it */
    byCode: z.literal(true).optional(),
    /** at this moment of this start of the machine so many milliseconds were left */
    left: z
      .strictObject({ milliseconds: z.number(), sinceBoot: z.number(), boot: z.string() })
      .optional(),
  }),
]);

type Limited = Extract<Paused, { protection: 'paused' }> & { until: number };
type Paused = z.infer<typeof lastingPosition>;

export type Switch =
  | { protection: 'on'; since: number; who: string }
  | z.infer<typeof lastingPosition>;

/** Anything but a position that still holds means on: a lost or broken file must not lower protection. */
export function readSwitch(file: string, clock: MachineClock): Switch {
  const on: Switch = { protection: 'on', since: clock.wall(), who: 'the start of the service' };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return on;
  }
  const position = parse(text);
  return position !== null && holds(position, clock) ? anchored(position, clock) : on;
}

/**
 * "On" has no file, so that it can be reached even on a full disk, and a lost file leads there. A pause "until restart" is over
 * when the file would be read, so it has none either.
 */
export function writeSwitch(file: string, position: Switch): Result<null> {
  const lasts =
    position.protection !== 'on' && !(position.protection === 'paused' && position.until === null);
  try {
    if (lasts) writeDurably(file, `${JSON.stringify(position)}\n`);
    else rmSync(file, { force: true });
    return succeed(null);
  } catch (error) {
    const isOn = position.protection === 'on';
    const then = isOn ? 'the next start finds what stands there' : 'nothing was changed';
    return fail(
      'state-unwritable',
      `can't write ${file}: ${sayErrno(error)}; ${then}`,
      'free space on the disk and check who owns the folder',
      file,
    );
  }
}

export function holds(position: Switch, clock: MachineClock): boolean {
  if (position.protection !== 'paused' || position.until === null) return true;
  return leftOf({ ...position, until: position.until }, clock) > 0;
}

/** A position that comes into force now. */
export function begun(position: Switch, { sinceBoot, boot }: MachineClock): Switch {
  if (position.protection !== 'paused' || position.until === null) return position;
  const milliseconds = position.until - position.since;
  return { ...position, left: { milliseconds, sinceBoot: sinceBoot(), boot } };
}

/** Unix milliseconds; infinite: not by itself. */
export function endOf(position: Switch): number {
  return position.protection === 'on' ? Infinity : (position.until ?? Infinity);
}

/**
 * What is left of a pause goes by the clock since the machine's start, and its end is told by the clock as it is set now. So a clock
 * that is set makes it neither longer nor shorter.
 */
export function anchored(position: Switch, clock: MachineClock): Switch {
  if (position.protection !== 'paused' || position.until === null) return position;
  const milliseconds = leftOf({ ...position, until: position.until }, clock);
  const left = { milliseconds, sinceBoot: clock.sinceBoot(), boot: clock.boot };
  return { ...position, until: clock.wall() + milliseconds, left };
}

/**
 * After another start of the machine nobody knows how long it was off, nor whether its clock is right: then the shorter counts of what
 * is left by the clock, and of what was left without the time since that start.
 */
function leftOf({ since, until, left }: Limited, { wall, sinceBoot, boot }: MachineClock): number {
  if (left?.boot === boot) return left.milliseconds - (sinceBoot() - left.sinceBoot);
  // A clock that was set back before its beginning would make days of minutes.
  if (wall() < since) return 0;
  return Math.min(until - wall(), (left?.milliseconds ?? until - since) - sinceBoot());
}

export function pauseUntil(
  request: { minutes: number } | { untilRestart: true },
  now: number,
  who: string,
): Extract<Switch, { protection: 'paused' }> {
  const until = 'minutes' in request ? now + request.minutes * 60_000 : null;
  return { protection: 'paused', since: now, who, until };
}

/** Where a pause needs a code, what was switched before without one is over. */
export function positionUnder(pause: 'allowed' | 'code', position: Switch, now: number): Switch {
  const isAllowed =
    pause === 'allowed' ||
    position.protection === 'on' ||
    (position.protection === 'paused' && position.byCode === true);
  return isAllowed ? position : { protection: 'on', since: now, who: 'the setting "pause"' };
}

/** Why a permission ended. */
export function sayTurn({ protection, who }: Switch): string {
  const turns = { on: 'switched-on', off: 'switched-off', paused: 'paused' } as const;
  return fill(ledgerEndings[turns[protection]], { who }, { plain: String });
}

function parse(text: string): Switch | null {
  try {
    return lastingPosition.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
