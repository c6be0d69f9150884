import { type Command, Option } from 'commander';
import { type Outcome, outcomes, type QueryEvent } from '../../contract/query-event.ts';
import type { ServiceClient } from '../../contract/service-api.ts';
import { safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { badUsage, unwrap } from '../failure.ts';
import { EventLines } from '../render-event.ts';
import { untilEnded } from '../until-ended.ts';

interface LogOptions extends CommonOptions {
  follow?: boolean;
  name?: string;
  outcome?: Outcome;
  limit: number;
}

const mostRows = 10_000;

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command))
    .option('-f, --follow', 'go on with what is asked from now on, until Ctrl-C')
    .option('--name <glob>', 'only names like this: * stands for any characters, ? for one')
    .addOption(new Option('--outcome <outcome>', 'only this outcome').choices(outcomes))
    .option('-n, --limit <rows>', 'the newest so many', readLimit, 50)
    .action((options: LogOptions) => showLog(line, options));
  withExamples(
    command,
    `  sotto log                                the newest 50, the newest last
  sotto log --follow                       and what is asked from now on
  sotto log --name '*.example.com' -n 500  quote the star, or the shell expands it
  sotto log --outcome refused              what was not answered, and why
  sotto log --follow --json | jq -r .name`,
    `Columns: time, type, name, outcome, upstream, transport, cost, time spent.
Outcomes: ${outcomes.join(', ')}.
Cost: reused (an open connection), resumed (a short handshake), cold (a full one), queued.`,
  );
}

async function showLog(line: CommandLine, options: LogOptions): Promise<void> {
  const { terminal } = line;
  const lines = new EventLines(terminal);
  let lastId = -1;
  const show = (events: readonly QueryEvent[]) => {
    if (!options.json) lines.prepare(events);
    for (const event of events) {
      if (event.id <= lastId) continue;
      lastId = event.id;
      terminal.out(options.json ? safeJson(event) : lines.render(event));
    }
  };

  await withService(line, options, async (service) => {
    const live = options.follow ? await follow(service, options) : null;
    const { name, outcome, limit } = options;
    const filter = {
      ...(name !== undefined && { name }),
      ...(outcome !== undefined && { outcome }),
    };
    if (limit > 0)
      show(unwrap(await service.call('log.query', { ...filter, limit })).events.reverse());
    if (live !== null) await live(show);
    else if (lastId === -1 && !options.json) terminal.error('No question in the history fits.');
  });
}

/** Following begins before the past is asked for, so that nothing falls between; the caller then takes it from there. */
async function follow(
  service: ServiceClient,
  { name, outcome }: LogOptions,
): Promise<(show: (events: QueryEvent[]) => void) => Promise<void>> {
  const early: QueryEvent[] = [];
  let take = (events: QueryEvent[]) => {
    early.push(...events);
  };
  service.on('log.events', ({ events }) => take(events));
  const ended = untilEnded(service);
  const filter = { ...(name !== undefined && { name }), ...(outcome !== undefined && { outcome }) };
  unwrap(await service.call('log.follow', filter));
  return async (show) => {
    show(early);
    take = show;
    await ended;
  };
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit <= mostRows) return limit;
  throw badUsage(
    `"${text}" is not a number of rows`,
    `give --limit a number from 0 to ${mostRows}`,
  );
}
