import type { Command } from 'commander';
import type { Params } from '../../contract/service-api.ts';
import { parseDuration } from '../../contract/text/duration.ts';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { badUsage } from '../failure.ts';
import { switching } from './switch-protection.ts';

const longestMinutes = 10_080;

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    ...switching,
    arguments: [['<duration>', '90s, 10m, 1h, 1h30m … up to 7d, or "restart"']],
    examples: `  sotto pause 10m        ten minutes, also across a restart of the service
  sotto pause 1h30m
  sotto pause restart    until the service starts again
  sotto on               end it now`,
    more: "While paused, queries go to the system's own resolvers in cleartext; each one is counted.",
    method: 'protection.pause',
    params: ([duration]: [string]) => pauseParams(duration),
  });
}

export function pauseParams(text: string): Params<'protection.pause'> {
  if (text === 'restart') return { untilRestart: true };
  const duration = parseDuration(text);
  const remedy = 'write 90s, 10m, 1h or 1h30m, at most 7d, or "restart"';
  if (duration === null) throw badUsage(`"${text}" is not a duration`, remedy);
  const minutes = duration / 60_000;
  if (minutes > longestMinutes) throw badUsage(`${text} is longer than a pause may last`, remedy);
  return { minutes };
}
