import type { Command } from 'commander';
import type { ServiceClient } from '../../contract/service-api.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { unwrap } from '../failure.ts';
import { changeBetween, figuresOf } from '../render/figures.ts';
import { changeTitles, renderChange, renderStats } from '../render/stats.ts';
import { print } from '../terminal/print.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { untilEnded } from '../terminal/until-ended.ts';

interface StatsOptions extends CommonOptions {
  follow?: boolean;
}

export function define(command: Command, line: CommandLine): void {
  const { terminal } = line;
  defineCommand(command, {
    options: [['-f, --follow', 'a line every second with what came in it, until Ctrl-C']],
    examples: `  sotto stats                               since the service started
  sotto stats --follow                      what comes now, second by second
  sotto stats --json | jq .latency.p99
  sotto stats --follow --json | jq -c '[.queries, .latency.p50]'`,
    more: `Latency is the time from arrival to response of forwarded queries: half of them took no longer than p50, 95 of
a hundred no longer than p95. Cost: reused (an open connection), resumed (a short handshake), cold (a full one),
queued (waited for one). Costs and latency are counted where the query log is written: with queryLog.mode "off"
there are none. Programs are those that sent most queries; only an administrator sees them.`,
    run: (_given, options: StatsOptions) =>
      withService(line, options, async (service) => {
        if (options.follow) return await follow(service, terminal, options);
        const stats = unwrap(await service.call('stats.get', {}));
        print(terminal, options, figuresOf(stats), () => renderStats(stats));
      }),
  });
}

async function follow(
  service: ServiceClient,
  terminal: Terminal,
  options: StatsOptions,
): Promise<void> {
  let before: ServiceStats | null = null;
  const ended = untilEnded(service);
  const take = (stats: ServiceStats) => {
    if (before !== null) {
      const change = changeBetween(before, stats);
      print(terminal, options, change, () => renderChange(change));
    }
    before = stats;
  };
  service.on('stats.changed', take);
  take(unwrap(await service.call('stats.follow', {})));
  if (!options.json) terminal.out(changeTitles());
  await ended;
}
