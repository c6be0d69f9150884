import type { Command } from 'commander';
import type { ServiceStats } from '../../contract/service-stats.ts';
import { safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { unwrap } from '../failure.ts';
import { changeBetween, figuresOf } from '../figures.ts';
import { changeTitles, renderChange, renderStats } from '../render-stats.ts';
import { untilEnded } from '../until-ended.ts';

interface StatsOptions extends CommonOptions {
  follow?: boolean;
}

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command))
    .option('-f, --follow', 'a line every second with what came in it, until Ctrl-C')
    .action((options: StatsOptions) =>
      options.follow ? follow(line, options) : show(line, options),
    );
  withExamples(
    command,
    `  sotto stats                               since the service started
  sotto stats --follow                      what comes now, second by second
  sotto stats --json | jq .latency.p99
  sotto stats --follow --json | jq -c '[.questions, .latency.p50]'`,
    `Latency is the time from arrival to reply of forwarded questions: half of them took no longer than p50, 95 of
a hundred no longer than p95. Cost: reused (an open connection), resumed (a short handshake), cold (a full one),
queued (waited for one). Costs and latency are counted where the history is written: with queryLog.mode "off"
there are none.`,
  );
}

async function show(line: CommandLine, options: StatsOptions): Promise<void> {
  const stats = await withService(line, options, async (service) =>
    unwrap(await service.call('stats.get', {})),
  );
  if (options.json) line.terminal.out(safeJson(figuresOf(stats)));
  else for (const text of renderStats(stats)) line.terminal.out(text);
}

async function follow(line: CommandLine, options: StatsOptions): Promise<void> {
  const { terminal } = line;
  await withService(line, options, async (service) => {
    let before: ServiceStats | null = null;
    const ended = untilEnded(service);
    const take = (stats: ServiceStats) => {
      if (before !== null) {
        const change = changeBetween(before, stats);
        terminal.out(options.json ? safeJson(change) : renderChange(change));
      }
      before = stats;
    };
    service.on('stats.changed', take);
    take(unwrap(await service.call('stats.follow', {})));
    if (!options.json) terminal.out(changeTitles());
    await ended;
  });
}
