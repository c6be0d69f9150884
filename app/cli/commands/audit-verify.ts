/** Checks the files of an audit log, where no service is needed. */
import { existsSync, readFileSync } from 'node:fs';
import type { AuditHead } from '../../contract/protection/audit-record.ts';
import { safe } from '../../contract/text/visible-text.ts';
// biome-ignore-start lint/style/noRestrictedImports: what a service wrote is judged by the same code; none has to run.
import { olderFiles } from '../../service/audit/audit-files.ts';
import { type Judged, judgeChain, noRecords } from '../../service/audit/chain.ts';
import { sayErrno } from '../../service/base/errno-words.ts';
// biome-ignore-end lint/style/noRestrictedImports: what a service wrote is judged by the same code; none has to run.
import { type CommandLine, type CommonOptions, pathsFor } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { badUsage } from '../failure.ts';
import { sayHead } from '../render/audit.ts';
import { print } from '../terminal/print.ts';

export interface VerifyOptions extends CommonOptions {
  head?: string;
}

export function verify(line: CommandLine, given: string[], options: VerifyOptions): void {
  const wanted = options.head === undefined ? null : readHead(options.head);
  const files = given.length > 0 ? given : ownFiles(pathsFor(line, options).auditFile);
  const judged = judgeChain(Buffer.concat(files.map(readFile)));
  const problems = [
    ...(judged.broken === null ? [] : [sayBroken(files, judged.broken)]),
    ...(wanted === null ? [] : withoutHead(judged, wanted)),
  ];
  if (problems.length > 0) line.exitCode = exitCodes.failed;
  const { before, head, torn } = judged;
  const data = { ok: problems.length === 0, problems, first: before.records + 1, head, torn };
  print(line.terminal, options, data, () => [
    ...problems.map(safe),
    ...(problems.length === 0 ? [sayWhole(judged, wanted !== null)] : []),
    ...(before.records === 0
      ? []
      : [
          `It begins at record ${before.records + 1}: the records before it are not in these files.`,
        ]),
    ...(torn === 0
      ? []
      : [
          `Its last ${torn} octets are no record, as a crash leaves them; the service will tell that in the next one.`,
        ]),
    `head ${sayHead(head)}`,
  ]);
}

interface WantedHead {
  /** null: the hash alone was given */
  records: number | null;
  hash: string;
}

function readHead(text: string): WantedHead {
  const [, records, hash] = /^(?:(\d{1,15}):)?([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  if (hash === undefined)
    throw badUsage(`"${text}" is no head`, 'give it as "sotto audit head" printed it');
  return { records: records === undefined ? null : Number(records), hash: hash.toLowerCase() };
}

/** Why the head is not that of a record here; empty: it is. */
function withoutHead(judged: Judged, { records, hash }: WantedHead): string[] {
  const known: AuditHead[] = [
    judged.before,
    ...[...judged.hashes].map(([number, one]) => ({ records: number, hash: one })),
  ];
  const found = known.find((one) => one.hash === hash);
  const isThere = found !== undefined && (records === null || found.records === records);
  if (isThere) return [];
  if (records !== null && records > judged.head.records)
    return [
      `The head is of record ${records}, and the last record here is ${judged.head.records}: the end was cut off.`,
    ];
  if (records !== null && records < judged.before.records)
    return [`The head is of record ${records}, which is older than these files.`];
  return [
    'No record of a chain that holds has this hash: the records were changed, or their end was cut off.',
  ];
}

function sayBroken(files: readonly string[], { line, why }: NonNullable<Judged['broken']>): string {
  const { file, at } = placeOf(files, line);
  return `${file}, line ${at}: ${why}. Something was changed, cut out or put in before it.`;
}

/** Lines are counted through all files. */
function placeOf(files: readonly string[], line: number): { file: string; at: number } {
  let at = line;
  for (const file of files) {
    const lines = readFile(file).toString('latin1').split('\n').length - 1;
    if (at <= lines || file === files.at(-1)) return { file, at };
    at -= lines;
  }
  return { file: '', at };
}

function sayWhole({ before, head }: Judged, isKept: boolean): string {
  if (head === noRecords) return 'There is no record.';
  const range = `records ${before.records + 1} to ${head.records}`;
  return isKept
    ? `The chain holds: ${range}, and nothing up to the head that you gave was changed.`
    : `The chain holds: ${range}.`;
}

function ownFiles(file: string): string[] {
  try {
    const files = [...olderFiles(file), ...(existsSync(file) ? [file] : [])];
    if (files.length > 0) return files;
  } catch (error) {
    throw badUsage(`${file}: ${sayErrno(error)}`, 'run the same with sudo, or name the files');
  }
  throw badUsage(
    `there is no audit log at ${file}`,
    'name the files, or where Sotto is with --home',
  );
}

function readFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw badUsage(`${file}: ${sayErrno(error)}`, 'check its name and who may read it');
  }
}
