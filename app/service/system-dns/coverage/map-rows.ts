/** The rows of the coverage map from what was counted, seen and found. Pure. */

import { inEnglish, type Said, say } from '../../../contract/sentences/sentence.ts';
import type { Role } from '../../../contract/service-api.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import type { CoverageRow } from '../../../contract/system/coverage.ts';
import { goesAround } from './activity.ts';
import { type Connection, lasts } from './connections.ts';
import { fixFor } from './fix-for.ts';
import { kindOf, sourceOf } from './goes-around.ts';
import type { Sender } from './sender.ts';
import type { Tally } from './tallies.ts';

/** The one who wants to see the map. */
export interface Viewer {
  role: Role;
  /** their account; null: unknown */
  who: string | null;
}

export function rowOfTally(tally: Tally, now: number, viewer: Viewer): CoverageRow {
  const { sender, to, left, rejected, since, newest } = tally;
  const weighs = sender.kind !== 'computer' && left > 0 && goesAround(tally.activity, now);
  return row(sender, viewer, {
    source: 'counted',
    to: [...to],
    count: left,
    rejected,
    since,
    newest,
    weighs,
    text: [...sayCounted(tally, mayName(sender, viewer)), ...seldom(weighs || left === 0)],
    remedy: remedyOf(sender, left),
  });
}

export function rowOfConnection(connection: Connection, viewer: Viewer): CoverageRow {
  const { sender, to, count, since, newest } = connection;
  const weighs = lasts(connection);
  const text = mayName(sender, viewer)
    ? say('connection-around', { who: sender.name, count, to })
    : say('connection-around-hidden', { count, to });
  return row(sender, viewer, {
    source: 'connection',
    to: [to],
    count,
    rejected: null,
    since,
    newest,
    weighs,
    text: [text, ...seldom(weighs)],
    remedy: say('fix-program'),
  });
}

/** `since`: when it was found first; null: unknown */
export function rowOfFinding(finding: Finding, since: number | null, newest: number): CoverageRow {
  const { subject, text, remedy, says } = finding;
  return {
    source: sourceOf(finding),
    kind: kindOf(finding),
    name: subject,
    user: null,
    to: [],
    count: null,
    rejected: null,
    since,
    newest,
    weighs: true,
    text,
    remedy: remedy ?? '',
    says,
    fix: fixFor(says.text[0]?.code ?? '', subject),
  };
}

type Rest = Pick<
  CoverageRow,
  'source' | 'to' | 'count' | 'rejected' | 'since' | 'newest' | 'weighs'
> & { text: Said[]; remedy: Said };

function row(sender: Sender, viewer: Viewer, { text, remedy, ...rest }: Rest): CoverageRow {
  const named = mayName(sender, viewer);
  return {
    ...rest,
    kind: sender.kind,
    name: named ? sender.name : '',
    user: named ? sender.user : null,
    text: inEnglish(text),
    remedy: inEnglish(remedy),
    says: { text, remedy: [remedy] },
    fix: null,
  };
}

/** Which programs others run is for administrators alone. */
function mayName({ user }: Sender, { role, who }: Viewer): boolean {
  return role === 'administer' || (user === null ? role === 'control' : user === who);
}

function sayCounted({ sender, to, left, rejected }: Tally, named: boolean): Said[] {
  const where = { to: to.join(', ') };
  const who = sender.name;
  if (sender.interface !== null)
    return [
      say('counted-behind', { from: who, interface: sender.interface, count: left, ...where }),
    ];
  if (sender.kind === 'other') return [say('counted-others', { count: left, rejected, ...where })];
  if (left === 0)
    return [
      named
        ? say('counted-all-rejected', { who, rejected, ...where })
        : say('counted-all-rejected-hidden', { rejected, ...where }),
    ];
  const went = named
    ? say('counted-around', { who, count: left, ...where })
    : say('counted-around-hidden', { count: left, ...where });
  return rejected === 0 ? [went] : [went, say('counted-rejected', { rejected })];
}

function seldom(no: boolean): Said[] {
  return no ? [] : [say('seldom-around')];
}

function remedyOf({ kind, interface: link }: Sender, left: number): Said {
  if (kind === 'other') return say('fix-others');
  if (kind === 'computer') return say('fix-other-computer');
  if (link !== null) return say('fix-behind');
  return left === 0 ? say('fix-nothing-left') : say('fix-program');
}
