/**
 * The audit log, written: one record after the other, each on the disk before the next. It never fails and nobody waits for the
 * disk to be free: what can't be written now is written later, and what had to be given up is counted.
 */
import type {
  AuditEvent,
  AuditHead,
  AuditNote,
  AuditRecord,
} from '../../contract/protection/audit-record.ts';
import { sayErrno } from '../base/errno-words.ts';
import { type AuditFiles, firstIn } from './audit-files.ts';
import { type Judged, judgeChain, lineEnd, noRecords, sha256, writeRecord } from './chain.ts';
import { limitDeeds } from './limit-deeds.ts';
import { limitRefusals } from './limit-refusals.ts';

/** Who brought an event about: number of the account; null: the service by itself. */
export interface Cause {
  account: number | null;
  /** the service by its own files, or a help desk: what they decide has no limit; what is refused has one for everybody */
  isTrusted: boolean;
}

export const bySelf: Cause = { account: null, isTrusted: true };

export interface Trouble {
  /** why records can't be written now; null: they are */
  stopped: string | null;
  /** where the file is not as it was written; null: it is */
  broken: string | null;
}

export interface AuditLog {
  note(note: AuditNote, cause?: Cause): void;
  /** Of what is on the disk. */
  head(): AuditHead;
  /** The newest of those that are wanted, the oldest first. Throws where a file can't be read. */
  read(wanted: Wanted): AuditRecord[];
  /** Called now, and with every change. */
  onTrouble(listener: (trouble: Trouble) => void): void;
  /** The service ends: what was only counted is told now. */
  end(): void;
}

export interface Wanted {
  limit: number;
  /** Unix milliseconds */
  since?: number | undefined;
  /** only records with a smaller number */
  before?: number | undefined;
}

export interface AuditLogParts {
  files: AuditFiles;
  now(): number;
  /** milliseconds of a clock that is never set */
  elapsed(): number;
  /** Calls it once, later; the function returned cancels that. */
  later(run: () => void): void;
  mostOctets?: number;
  mostOlder?: number;
}

/** Together the files have 8 MiB at the most: some 30,000 records. */
const sizes = { mostOctets: 512 * 1024, mostOlder: 15 };

const refusals: ReadonlySet<AuditEvent> = new Set([
  'change-refused',
  'pause-code-refused',
  'profile-refused',
  'switch-refused',
]);

/** That wait for the disk. */
const mostWaiting = 1000;
const mostAtOnce = 100;

type Event = Pick<AuditRecord, 'time' | 'event' | 'who' | 'fields'>;

interface Place {
  /** octets of the present file */
  size: number;
  /** number of its first record */
  first: number;
  /** ends the line that a crash left without its end */
  prefix: '' | '\n';
}

export function openAuditLog(parts: AuditLogParts): AuditLog {
  const { files, now, elapsed, mostOctets, mostOlder } = { ...sizes, ...parts };
  const refused = limitRefusals();
  const deeds = limitDeeds();
  const waiting: Event[] = [];
  let lost = 0;
  let isArmed = false;
  /** Of the last record on the disk; null: nobody has looked yet. */
  let head: AuditHead | null = null;
  /** Null: the file has to be looked at, because it is new to us or may be another than we left. */
  let place: Place | null = null;
  let trouble: Trouble = { stopped: null, broken: null };
  let tell: (trouble: Trouble) => void = () => {};

  function setTrouble(change: Partial<Trouble>): void {
    trouble = { ...trouble, ...change };
    tell(trouble);
  }

  function eventOf(
    event: AuditEvent,
    fields: AuditRecord['fields'],
    who: number | null = null,
  ): Event {
    return { time: new Date(now()).toISOString(), event, who, fields: shortened(fields) };
  }

  /** All in one write. False: the file is another than we left, so none is written. */
  function append(events: readonly Event[], before: AuditHead, at: Place): boolean {
    let last = before;
    const lines = events.map((event) => {
      const line = writeRecord({ seq: last.records + 1, ...event, prev: last.hash });
      last = { records: last.records + 1, hash: sha256(line) };
      return `${line}\n`;
    });
    const octets = Buffer.from(`${at.prefix}${lines.join('')}`);
    const isWritten = files.append(octets, at.size);
    if (isWritten) head = last;
    place = isWritten ? { ...at, size: at.size + octets.length, prefix: '' } : null;
    return isWritten;
  }

  /** Goes on behind what stands in the file, and says there what is not as it was written. */
  function takeUp(): boolean {
    const octets = files.present();
    const judged = judgeChain(octets);
    const found = octets.length > 0 ? judged.head : lastOf(files);
    const before = head ?? found;
    const at = placeAfter(octets, judged, before);
    const broken = faultOf(judged, before, found);
    head = before;
    place = at;
    if (broken !== null) return append([brokenAt(broken)], before, at);
    if (judged.torn === 0) return true;
    const torn = octets.subarray(octets.length - judged.torn);
    return append([interruptedBy(Buffer.concat([torn, Buffer.from(at.prefix)]))], before, at);
  }

  function brokenAt(broken: NonNullable<Judged['broken']>): Event {
    setTrouble({ broken: `${broken.why} (line ${broken.line})` });
    return eventOf('chain-broken', { ...broken });
  }

  function interruptedBy(torn: Buffer): Event {
    return eventOf('interrupted', { octets: torn.length, sha256: sha256(torn) });
  }

  function write(events: readonly Event[]): boolean {
    if ((place === null && !takeUp()) || head === null || place === null) return false;
    if (place.size >= mostOctets && place.prefix === '') {
      files.moveAway(place.first, mostOlder);
      place = { size: 0, first: head.records + 1, prefix: '' };
    }
    return append(events, head, place);
  }

  /** A file that others change again and again is given up for now. */
  function writeAgain(events: readonly Event[]): void {
    for (let attempt = 0; attempt < 3; attempt += 1) if (write(events)) return;
    throw new Error('another program writes to it');
  }

  function flush(): void {
    try {
      while (waiting.length > 0) {
        const next = waiting.slice(0, mostAtOnce);
        writeAgain(next);
        waiting.splice(0, next.length);
      }
      if (lost > 0) writeAgain([eventOf('records-lost', { count: lost })]);
      lost = 0;
      if (trouble.stopped !== null) setTrouble({ stopped: null });
    } catch (error) {
      place = null;
      setTrouble({ stopped: sayErrno(error) });
      arm();
    }
  }

  function arm(): void {
    if (isArmed) return;
    isArmed = true;
    parts.later(() => {
      isArmed = false;
      flush();
    });
  }

  /** Whether there is something to write. */
  function putLeftOut(at = elapsed()): boolean {
    const refusalsOver = refused.ended(at);
    for (const { account, count } of refusalsOver)
      put(eventOf('refusals-left-out', { count }, account));
    const deedsOver = deeds.ended(at);
    for (const { account, event, count, last } of deedsOver)
      put(eventOf('deeds-left-out', { event, count, last: sayFields(last) }, account));
    return refusalsOver.length + deedsOver.length > 0;
  }

  function isAllowed(note: AuditNote, { account, isTrusted }: Cause): boolean {
    if (refusals.has(note[0]))
      return refused.allows({ account, same: JSON.stringify(note) }, elapsed());
    return isTrusted || deeds.allows({ account, note }, elapsed());
  }

  function put(event: Event): void {
    if (waiting.length < mostWaiting) waiting.push(event);
    else lost += 1;
  }

  return {
    note(note, cause = bySelf) {
      putLeftOut();
      if (isAllowed(note, cause)) put(eventOf(note[0], note[1], cause.account));
      flush();
    },
    head: () => head ?? headOf(files),
    read(wanted) {
      if (putLeftOut()) flush();
      return readNewest(files, wanted);
    },
    onTrouble(listener) {
      tell = listener;
      tell(trouble);
    },
    end() {
      if (putLeftOut(Infinity)) flush();
    },
  };
}

/** Such as "setting downgrade". */
function sayFields([, fields]: AuditNote): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${[value].flat().join(',')}`);
}

function placeAfter(octets: Buffer, { records }: Judged, { records: known }: AuditHead): Place {
  const isEnded = octets.length === 0 || octets.at(-1) === lineEnd;
  return {
    size: octets.length,
    first: records[0]?.seq ?? known + 1,
    prefix: isEnded ? '' : '\n',
  };
}

function faultOf(judged: Judged, head: AuditHead, found: AuditHead): Judged['broken'] {
  if (judged.broken !== null) return judged.broken;
  if (head.hash === found.hash) return null;
  const why = `record ${head.records} was the last one, and record ${found.records} stands there`;
  return { line: judged.records.length, why };
}

/** Where there is no present file, because it was moved away a moment before a crash. */
function lastOf(files: AuditFiles): AuditHead {
  const newest = files.older().at(-1);
  return newest === undefined ? noRecords : judgeChain(files.read(newest)).head;
}

function headOf(files: AuditFiles): AuditHead {
  try {
    const octets = files.present();
    return octets.length > 0 ? judgeChain(octets).head : lastOf(files);
  } catch {
    return noRecords;
  }
}

/** Files that hold nothing that is wanted are not read; the newest comes first. */
function readNewest(files: AuditFiles, { limit, since = 0, before = Infinity }: Wanted) {
  const older = files.older().reverse();
  const sources = [
    () => files.present(),
    ...older.filter((path) => firstIn(path) < before).map((path) => () => files.read(path)),
  ];
  let found: AuditRecord[] = [];
  for (const source of sources) {
    const { records } = judgeChain(source());
    const fitting = records.filter(({ seq, time }) => seq < before && Date.parse(time) >= since);
    found = [...fitting, ...found];
    const isOld = records.length > 0 && records.every(({ time }) => Date.parse(time) < since);
    if (found.length >= limit || isOld) break;
  }
  return found.slice(-limit);
}

/** A record stays one that can be read again, whatever its fields hold. */
function shortened(fields: AuditRecord['fields']): AuditRecord['fields'] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value === 'string') return [name, value.slice(0, 512)];
      if (!Array.isArray(value)) return [name, value];
      return [name, value.slice(0, 128).map((one) => one.slice(0, 128))];
    }),
  );
}
