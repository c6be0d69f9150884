import type { Command } from 'commander';
import { seriesKeptMs } from '../../contract/bounds.ts';
import type { ServiceClient } from '../../contract/service-api.ts';
import type { SeriesRequest } from '../../contract/status/series.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import { parseDuration } from '../../contract/text/duration.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';
import { changeBetween, figuresOf } from '../render/figures.ts';
import { mostLines, renderSeries } from '../render/series.ts';
import { changeTitles, renderChange, renderStats } from '../render/stats.ts';
import { print } from '../terminal/print.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { untilEnded } from '../terminal/until-ended.ts';

interface StatsOptions extends CommonOptions {
  follow?: boolean;
  last?: string;
}

export function define(command: Command, line: CommandLine): void {
  const { terminal } = line;
  defineCommand(command, {
    options: [
      ['-f, --follow', 'a line every second with what came in it, until Ctrl-C'],
      ['--last <duration>', 'what became of queries in that time, such as 1h, 24h or 7d'],
    ],
    examples: `  sotto stats                               since the service started
  sotto stats --follow                      what comes now, second by second
  sotto stats --last 24h                    the last day, in half hours
  sotto stats --json | jq .latency.p99
  sotto stats --follow --json | jq -c '[.queries, .latency.p50]'`,
    more: `Latency is the time from arrival to response of forwarded queries: half of them took no longer than p50, 95 of
a hundred no longer than p95. Cost: reused (an open connection), resumed (a short handshake), cold (a full one),
queued (waited for one). Costs and latency are counted where the query log is written: with queryLog.mode "off"
there are none. With --last each line is an interval: queries by what became of them, and for each upstream the
time that half of its responses took at most, within 7 %. They are kept for a week, without names. Programs are those that sent most queries; only an administrator sees them.`,
    run: (_given, options: StatsOptions) =>
      withService(line, options, async (service) => {
        if (options.follow) return await follow(service, terminal, options);
        if (options.last !== undefined) {
          const series = unwrap(await service.call('stats.series', lastOf(options.last)));
          return print(terminal, options, series, () => renderSeries(series));
        }
        const stats = unwrap(await service.call('stats.get', {}));
        print(terminal, options, figuresOf(stats), () => renderStats(stats));
      }),
  });
}

export function lastOf(text: string): SeriesRequest {
  const duration = parseDuration(text);
  const remedy = 'write 1h, 24h or 7d: figures are kept for a week';
  if (duration === null) throw badUsage(`"${text}" is not a duration`, remedy);
  if (duration > seriesKeptMs) throw badUsage(`${text} is longer than figures are kept`, remedy);
  const until = Date.now();
  return { since: until - duration, until, points: mostLines };
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
