import type { Command } from 'commander';
import { longestPauseMinutes } from '../../contract/bounds.ts';
import type { PauseChallenge } from '../../contract/protection/pause-code.ts';
import type { Params } from '../../contract/service-api.ts';
import { parseDuration, sayDuration } from '../../contract/text/duration.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { badUsage, unwrap } from '../failure.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { print } from '../terminal/print.ts';
import { switching } from './switch-protection.ts';

interface PauseOptions extends CommonOptions {
  code?: string;
}

type Pause = Params<'protection.pause'>;

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    arguments: [['[duration]', '90s, 10m, 1h, 1h30m … up to 7d, or "restart"']],
    options: [['--code <code>', 'of your help desk, for the pause that you asked for before']],
    examples: `  sotto pause 10m        ten minutes, also across a restart of the service
  sotto pause 1h30m
  sotto pause restart    until the service starts again
  sotto on               end it now
  sotto pause --code 3K9M-ZQ4T`,
    more: `While paused, queries go to the system's own resolvers in cleartext; each one is counted.
Where your organisation wants a code for a pause, "sotto pause 30m" shows a challenge. Read it to your help desk, which gives you
the code; it is good for these minutes, once.`,
    run: ([duration]: [string?], options: PauseOptions) =>
      options.code === undefined
        ? pause(line, pauseParams(duration), options)
        : redeem(line, options.code, duration, options),
  });
}

async function pause(line: CommandLine, wanted: Pause, options: PauseOptions): Promise<void> {
  await withService(line, options, async (service) => {
    const paused = await service.call('protection.pause', wanted);
    const asksForCode = !paused.ok && paused.failure.code === 'pause-code-needed';
    if (asksForCode && 'minutes' in wanted)
      return await showChallenge(line, service, wanted.minutes, options);
    const status = unwrap(paused);
    print(line.terminal, options, switching.data(status), () => switching.say(status));
  });
}

/** It is not paused yet, and the exit code says so. */
async function showChallenge(
  line: CommandLine,
  service: ConnectedService,
  minutes: number,
  options: PauseOptions,
): Promise<void> {
  const asked = unwrap(await service.call('pause.challenge', { minutes: Math.ceil(minutes) }));
  line.exitCode = exitCodes.failed;
  print(line.terminal, options, asked, () => sayChallenge(asked));
}

function sayChallenge({ challenge, minutes, expiresAt }: PauseChallenge): string[] {
  return [
    `A pause of ${sayDuration(minutes * 60_000)} needs a code from your help desk. Read this to it, before ${dayAndMinute(expiresAt)}:`,
    `  ${challenge}`,
    'Then give the code that it tells you:',
    '  sotto pause --code CODE',
  ];
}

async function redeem(
  line: CommandLine,
  code: string,
  duration: string | undefined,
  options: PauseOptions,
): Promise<void> {
  if (duration !== undefined)
    throw badUsage(
      'a code has its minutes in itself',
      'leave the duration out: sotto pause --code CODE',
    );
  const { status } = await withService(line, options, async (service) =>
    unwrap(await service.call('pause.redeem', { code })),
  );
  print(line.terminal, options, switching.data(status), () => switching.say(status));
}

export function pauseParams(text: string | undefined): Pause {
  const remedy = 'write 90s, 10m, 1h or 1h30m, at most 7d, or "restart"';
  if (text === undefined) throw badUsage('the duration is missing', remedy);
  if (text === 'restart') return { untilRestart: true };
  const duration = parseDuration(text);
  if (duration === null) throw badUsage(`"${text}" is not a duration`, remedy);
  const minutes = duration / 60_000;
  if (minutes > longestPauseMinutes)
    throw badUsage(`${text} is longer than a pause may last`, remedy);
  return { minutes };
}
