import { type Command, Option } from 'commander';
import { type Outcome, outcomes } from '../../contract/engine-words.ts';
import { type FilterTerm, writeTerm } from '../../contract/query-log/log-filter.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { ResultOf, ServiceClient } from '../../contract/service-api.ts';
import { beginPouring, readPoured } from '../../service-client/pour-log.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage, CommandFailed, unwrap } from '../failure.ts';
import { EventLines } from '../render/event.ts';
import { print } from '../terminal/print.ts';
import { readLimit } from '../terminal/read-number.ts';
import { untilEnded } from '../terminal/until-ended.ts';
import { defineTop } from './log-top.ts';

interface LogOptions extends CommonOptions {
  follow?: boolean;
  name?: string;
  outcome?: Outcome;
  limit: number;
}

interface ExportOptions extends CommonOptions {
  format: 'csv' | 'ndjson';
}

interface EraseOptions extends CommonOptions {
  yes?: boolean;
}

const mostRows = 10_000;
const rowsAPage = 1_000;

const language = `A filter is a list of words, all of which must fit; a comma means or, a minus before a word means not:

  example              names that contain this      type:A,HTTPS      transport:dot
  *.example.com        names of this form           outcome:failed    cost:cold
  name:example.com     this name and no other       upstream:quad9    rule:*.corp.example
  /^ads?\\d+\\./         names this fits (RE2)        slower:100ms      clear:bypass
  "a b"                as it stands                 since:1h          until:2026-01-31T15:00
  rcode:NXDOMAIN       client:127.0.0.1             -type:PTR         -clear:none
  program:firefox      unit:sshd.service            container:web     user:ann

Quote it, or the shell takes its stars and slashes; a word that begins with a minus comes after "--".`;

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    arguments: [['[filter...]', 'only what fits: names, and words like type:AAAA or slower:100ms']],
    options: [
      ['-f, --follow', 'go on with what is asked from now on, until Ctrl-C'],
      ['--name <glob>', 'only names like this: the same as the word name:GLOB'],
      new Option('--outcome <outcome>', 'only this outcome: the same as outcome:OUTCOME').choices(
        outcomes,
      ),
      new Option('-n, --limit <rows>', 'the newest so many')
        .argParser(readLimit('rows', 0, mostRows))
        .default(50),
    ],
    examples: `  sotto log                                the newest 50, the newest last
  sotto log --follow                       and what is asked from now on
  sotto log '*.example.com' -n 500         names below example.com
  sotto log outcome:failed,refused since:1d
                                           what was not answered since yesterday, and why
  sotto log type:HTTPS slower:100ms        slow ones of one type
  sotto log -- -clear:none                 what left in cleartext
  sotto log program:firefox --follow       what one program asks
  sotto log '/^ads?[0-9]*\\./' --follow     a regular expression, live
  sotto log --follow --json | jq -r .name`,
    more: `${language}

Columns: time (of this machine's zone, with its date where it is not of today), type, name, outcome, upstream, transport, cost, time spent, program.
Outcomes: ${outcomes.join(', ')}.
Cost: reused (an open connection), resumed (a short handshake), cold (a full one), queued.
Program: what asked, by its unit, desktop application, container or executable; – where its socket was gone already, or where
queryLog.programs is off. A local forwarder such as systemd-resolved asks for somebody whom nobody can name.`,
    run: ([words]: [string[]], options: LogOptions) => showLog(line, words, options),
  });

  defineCommand(command, {
    name: 'export',
    arguments: [['[filter...]', 'only what fits, as for "sotto log"']],
    description: 'Write all that fits as CSV or as JSON, newest first.',
    options: [
      new Option('--format <format>', 'csv, or one JSON object a line')
        .choices(['csv', 'ndjson'])
        .default('csv'),
    ],
    json: false,
    examples: `  sotto log export > queries.csv
  sotto log export --format ndjson since:7d > week.ndjson
  sotto log export '*.example.com' outcome:failed > failed.csv`,
    more: `csv     a header, then a row a query: 40 columns, lines end with CR LF (RFC 4180). A text that a spreadsheet would
        take for a formula begins with an apostrophe
ndjson  a JSON object a line, the same as "sotto log --json" prints

Times are UTC; "at" of JSON is milliseconds since 1970, and whatever ends in "ms" is milliseconds. Control characters and
those that turn the direction of a line are escaped. What is asked meanwhile is not in it. An export that ends early says
so, and ends with 1 or 3: what was written until then stays.`,
    run: ([words]: [string[]], options: ExportOptions) => exportLog(line, words, options),
  });

  defineTop(command, line);

  defineCommand(command, {
    name: 'erase',
    description: 'Erase the query log: every query, and the figures of the last week, for good.',
    options: [['--yes', 'there is no way back, and that is wanted']],
    json: false,
    examples: `  sotto log export > queries.csv
  sotto log erase --yes`,
    more: `The ledger stays. What is asked from now on is kept again; "sotto config set queryLog.mode off" keeps nothing.`,
    run: (_given: [], options: EraseOptions) => eraseLog(line, options),
  });
}

async function showLog(
  line: CommandLine,
  words: readonly string[],
  options: LogOptions,
): Promise<void> {
  const { terminal } = line;
  const lines = new EventLines(terminal, line.now());
  const filter = filterText(words, options);
  let lastId = -1;
  const show = (events: readonly QueryEvent[]) => {
    if (!options.json) lines.prepare(events);
    for (const event of events) {
      if (event.id > lastId) print(terminal, options, event, () => lines.render(event));
      lastId = Math.max(lastId, event.id);
    }
  };

  await withService(line, options, async (service) => {
    const live = options.follow ? await follow(service, filter, line) : null;
    const { events, more } = await newest(service, filter, options.limit);
    show([...events].reverse());
    if (live !== null) return await live(show);
    const isWhole = events.length > 0 && !more;
    if (options.json || options.limit === 0 || isWhole) return;
    terminal.error(await sayMissing(service, filter, events.length));
  });
}

async function sayMissing(service: ServiceClient, filter: string, shown: number): Promise<string> {
  if (shown === 0) return 'No query in the query log fits.';
  const { rows } = unwrap(await service.call('log.count', { filter }));
  return `These are the newest ${shown} of ${rows} that fit; "-n" shows more.`;
}

/** The older options are terms of the filter in another form. */
function filterText(words: readonly string[], { name, outcome }: Partial<LogOptions>): string {
  const term = (field: FilterTerm['field'], text: string) =>
    writeTerm({ field, negated: false, values: [{ text, regex: false }] });
  return [
    ...words,
    ...(name === undefined ? [] : [term('name', name)]),
    ...(outcome === undefined ? [] : [term('outcome', outcome)]),
  ].join(' ');
}

async function newest(
  service: ServiceClient,
  filter: string,
  limit: number,
): Promise<{ events: QueryEvent[]; more: boolean }> {
  const events: QueryEvent[] = [];
  let before: number | null = null;
  while (events.length < limit) {
    const page: ResultOf<'log.search'> = unwrap(
      await service.call('log.search', {
        filter,
        limit: Math.min(rowsAPage, limit - events.length),
        ...(before !== null && { before }),
      }),
    );
    events.push(...page.events);
    before = page.next;
    if (before === null) break;
  }
  return { events, more: before !== null };
}

/** Following begins before the past is read, so that no query is missed between; the caller then continues from there. */
async function follow(
  service: ServiceClient,
  filter: string,
  { terminal }: CommandLine,
): Promise<(show: (events: QueryEvent[]) => void) => Promise<void>> {
  const early: QueryEvent[] = [];
  let take = (events: QueryEvent[]) => {
    early.push(...events);
  };
  service.on('log.events', ({ events, leftOut }) => {
    take(events);
    if (leftOut > 0)
      terminal.error(`${leftOut} more came too fast to be shown; they are in the query log.`);
  });
  const ended = untilEnded(service);
  unwrap(await service.call('log.follow', { filter }));
  return async (show) => {
    show(early);
    take = show;
    await ended;
  };
}

async function exportLog(
  line: CommandLine,
  words: readonly string[],
  options: ExportOptions,
): Promise<void> {
  const { format } = options;
  const filter = filterText(words, {});
  await withService(line, options, async (service) => {
    const socket = unwrap(await beginPouring(service, { filter, format }));
    for await (const part of readPoured(socket)) {
      if (part.kind === 'text') await line.terminal.pour(part.octets);
      if (part.kind === 'failure') throw new CommandFailed(part.failure);
    }
  });
}

async function eraseLog(line: CommandLine, options: EraseOptions): Promise<void> {
  if (options.yes !== true)
    throw badUsage(
      'the query log would be gone for good, every query of it',
      'to erase it: sotto log erase --yes; to keep a copy: sotto log export > queries.csv',
    );
  await withService(line, options, async (service) => unwrap(await service.call('log.clear', {})));
  line.terminal.out('The query log is erased.');
}
