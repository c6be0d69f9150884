/** `sotto log top`: which domains, programs or clients occur most among the queries that fit. */
import { type Command, Option } from 'commander';
import type { LogResult, TopKind } from '../../contract/query-log/log-api.ts';
import { readLogFilter } from '../../contract/query-log/log-filter-reading.ts';
import { parseDuration } from '../../contract/text/duration.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';
import { print } from '../terminal/print.ts';
import { readLimit } from '../terminal/read-number.ts';
import { renderTable } from '../terminal/table.ts';

interface TopOptions extends CommonOptions {
  last?: string;
  by: TopChoice;
  lines: number;
}

const kinds = { domains: 'domain', programs: 'program', clients: 'client' } as const;
type TopChoice = keyof typeof kinds;
const most = 100;

export function defineTop(command: Command, line: CommandLine): void {
  defineCommand(command, {
    name: 'top',
    description: 'Say which domains, programs or clients asked or were asked for most.',
    arguments: [['[filter...]', 'only what fits, as for "sotto log"']],
    options: [
      new Option('--by <what>', 'what is ranked').choices(Object.keys(kinds)).default('domains'),
      new Option(
        '--last <duration>',
        'the time up to now, such as 1h or 7d; without it and "since:", 24h',
      ),
      new Option('--lines <count>', 'so many of them')
        .argParser(readLimit('lines', 1, most))
        .default(10),
    ],
    examples: `  sotto log top                             the ten domains of the last day
  sotto log top --by programs --last 1h     what asked in the last hour
  sotto log top outcome:refused             the domains that were blocked
  sotto log top --by clients --last 7d --lines 100
  sotto log top --json | jq -r '.rows[].value'`,
    more: `A domain is what somebody registers under a public suffix: www.example.co.uk counts as example.co.uk. Names under no
public suffix count by their last label (printer.local as local), reverse look-ups as in-addr.arpa and ip6.arpa.
Programs have the names that "sotto log" shows, and "program:NAME" finds. Of a long time, rare values may be counted too
low; the last line says so then.`,
    run: ([words]: [string[]], options: TopOptions) =>
      withService(line, options, async (service) => {
        const { lines: limit } = options;
        const wanted = { by: kinds[options.by], filter: filterText(words, options.last), limit };
        const found = unwrap(await service.call('log.top', wanted));
        print(line.terminal, options, found, () => render(wanted.by, found));
      }),
  });
}

function filterText(words: readonly string[], last: string | undefined): string {
  if (last !== undefined && parseDuration(last) === null)
    throw badUsage(`"${last}" is not a duration`, 'write 1h, 24h or 7d');
  const text = words.join(' ');
  const read = readLogFilter(text);
  const hasBegin = read.ok && read.terms.some(({ field }) => field === 'since');
  const since = last ?? (hasBegin ? null : '24h');
  return [text, since === null ? '' : `since:${since}`].filter(Boolean).join(' ');
}

function render(by: TopKind, { rows, queries, isExact }: LogResult<'top'>): string[] {
  if (rows.length === 0) return [`No query that fits has a ${by} in the query log.`];
  const share = (count: number) => `${((100 * count) / queries).toFixed(1)}%`;
  return [
    ...renderTable(
      [{ title: 'queries', align: 'right' }, { title: 'of all', align: 'right' }, { title: by }],
      rows.map(({ value, count }) => [String(count), share(count), safe(value)]),
    ),
    ...(isExact ? [] : ['≈ Rare values of such a long time are not counted one by one.']),
  ];
}
