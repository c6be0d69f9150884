/** On, off or paused, as the person left it: kept across restarts. A pause ends by itself, also while we don't run. */

import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { fill } from '../../contract/sentences/sentence-template.ts';
import { writeDurably } from '../base/durable-file.ts';
import { sayErrno } from '../base/errno-words.ts';

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
  }),
]);

export type Switch =
  | { protection: 'on'; since: number; who: string }
  | z.infer<typeof lastingPosition>;

/** Anything but a position that still holds means on: a lost or broken file must not lower protection. */
export function readSwitch(file: string, now: number): Switch {
  const on: Switch = { protection: 'on', since: now, who: 'the start of the service' };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return on;
  }
  const position = parse(text);
  return position !== null && holds(position, now) ? position : on;
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

/** If the clock was set back before its beginning, a pause of minutes would last for days. */
export function holds(position: Switch, now: number): boolean {
  if (position.protection !== 'paused' || position.until === null) return true;
  return position.since <= now && now < position.until;
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
