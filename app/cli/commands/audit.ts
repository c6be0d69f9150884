import { type Command, Option } from 'commander';
import { mostAuditRecords } from '../../contract/bounds.ts';
import type { AuditRecord } from '../../contract/protection/audit-record.ts';
import { readValue, timeOf } from '../../contract/query-log/log-filter-values.ts';
import type { Params, ServiceClient } from '../../contract/service-api.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCall, defineCommand } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';
import { sayHead, sayRecord } from '../render/audit.ts';
import { print } from '../terminal/print.ts';
import { readLimit } from '../terminal/read-number.ts';
import type { VerifyOptions } from './audit-verify.ts';

interface AuditOptions extends CommonOptions {
  since?: string;
  limit: number;
}

const mostShown = 100_000;

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    options: [
      ['--since <time>', 'only what came since then: 1h, 7d, 2026-01-31 or 2026-01-31T15:00'],
      new Option('-n, --limit <records>', 'the newest so many')
        .argParser(readLimit('records', 1, mostShown))
        .default(50),
    ],
    examples: `  sudo sotto audit                   the newest 50, the newest last
  sudo sotto audit --since 7d
  sudo sotto audit --json | jq 'select(.event == "profile-refused")'
  sotto audit head                   what to keep elsewhere
  sudo sotto audit verify --head 1200:9f86d081…`,
    more: `What was decided about the protection of this machine: profiles and their versions, policies, settings that were loosened, attempts to
change what is locked or needs another role, consents to cleartext, pauses and pause codes, an erased query log. What one account does
again and again is counted beyond five records an hour of each kind (deeds-left-out), with the last one. Each record has a number, a time, an event, the number of the account that
caused it (– is the service by itself) and the hash of the record before. No queried name is in it. It is kept in the state
folder as audit.jsonl, with older files beside it: 8 MiB at the most, then the oldest file is erased.`,
    run: (_given, options: AuditOptions) => show(line, options),
  });

  defineCall(command, line, {
    name: 'head',
    description: 'The number of the last record, and its hash.',
    examples: `  sotto audit head
  sotto audit head --json | jq -r .hash`,
    more: 'Keep it on another machine: "sotto audit verify --head" finds whatever was changed, cut or left out of the records up to it.',
    method: 'audit.head',
    say: sayHead,
  });

  defineCommand(command, {
    name: 'verify',
    arguments: [
      ['[file...]', 'of an audit log, the oldest first; without it, those of this machine'],
    ],
    options: [['--head <head>', 'of an earlier moment, as "sotto audit head" printed it']],
    description: 'Check the chain of the audit log. It needs no service.',
    examples: `  sudo sotto audit verify
  sudo sotto audit verify --head 1200:9f86d081…
  sotto audit verify audit-000000000001.jsonl audit.jsonl    copies from another machine`,
    more: `It finds every record that was changed, cut out, put in or moved. Whoever can write to the files can make a chain that holds,
or cut its end: only a head that was kept elsewhere shows that. The exit code is 1 where something is wrong.`,
    run: async ([files]: [string[]], options: VerifyOptions) =>
      (await import('./audit-verify.ts')).verify(line, files, options),
  });
}

async function show(line: CommandLine, options: AuditOptions): Promise<void> {
  const since = readSince(options.since, line.now());
  const records = await withService(line, options, (service) =>
    readRecords(service, options.limit, since === null ? {} : { since }),
  );
  for (const record of records) print(line.terminal, options, record, () => sayRecord(record));
  if (records.length === 0 && !options.json) line.terminal.error('There is no such record.');
}

/** The newest, page by page; the oldest first. */
async function readRecords(
  service: ServiceClient,
  limit: number,
  wanted: Omit<Params<'audit.list'>, 'limit'>,
): Promise<AuditRecord[]> {
  const most = Math.min(limit, mostAuditRecords);
  const { records } = unwrap(await service.call('audit.list', { ...wanted, limit: most }));
  const [oldest] = records;
  if (oldest === undefined || records.length < most || limit === most) return records;
  const older = { ...wanted, before: oldest.seq };
  return [...(await readRecords(service, limit - most, older)), ...records];
}

function readSince(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const read = readValue('since', text);
  if (!read.ok)
    throw badUsage(`"${text}" is neither a duration nor a time`, 'write 1h, 7d or 2026-01-31');
  return timeOf(read.text, now);
}
