import { type Command, Option } from 'commander';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { renderAsk, sayAnswer, sayRetried } from '../render/ask.ts';
import { readMinutes } from '../terminal/read-number.ts';

interface AllowOptions extends CommonOptions {
  minutes: number;
}

const longestMinutes = 10_080;

const whatItMeans = `With "downgrade": "warn" you are asked once per network when no private path works there: every upstream was tried, on
both its ports. Until you answer, and if you don't within ten minutes, questions are refused and nothing is sent in
clear. What you allow is written to the ledger first, ends by itself, and ends at once when a private path works again.`;

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'list',
    description: 'The questions that wait for you, and what became of earlier ones.',
    examples: `  sotto ask list
  sotto ask list --json | jq -r '.asks[] | select(.state == "open").id'`,
    method: 'ask.list',
    say: ({ asks }) => asks.flatMap((ask) => renderAsk(ask, line.now())),
    nothing: () => 'Nothing waits for an answer.',
  });

  defineCall(command, line, {
    name: 'allow',
    arguments: [['<ask>', 'which question: the word "sotto ask list" begins with']],
    options: [
      new Option('--minutes <minutes>', `for how long, at most ${longestMinutes}`)
        .argParser(readMinutes(longestMinutes, ', a week'))
        .makeOptionMandatory(),
    ],
    description: 'Let questions leave in clear on this network for a while; each is counted.',
    examples: `  sotto ask allow kfpm --minutes 30    half an hour on this network, and nowhere else
  sotto ledger --follow                what leaves meanwhile`,
    method: 'ask.allow',
    params: ([id]: [string], { minutes }: AllowOptions) => ({ id, minutes }),
    say: sayAnswer,
  });

  defineCall(command, line, {
    name: 'deny',
    arguments: [['<ask>', 'which question']],
    description: 'Stay private: questions are refused until a private path works or you move on.',
    examples: '  sotto ask deny kfpm',
    method: 'ask.deny',
    params: ([id]: [string]) => ({ id }),
    say: sayAnswer,
  });

  defineCall(command, line, {
    name: 'retry',
    arguments: [['<ask>', 'which question; one that was answered "no", or not at all, will do']],
    description: 'Try the private paths again; if that is in vain you are asked anew.',
    examples: '  sotto ask retry kfpm    after logging in to the hotel, for example',
    more: `Every private upstream is asked at once for something that is nobody's business; within five seconds you are told
whether one answers. The exit code is 1 when none does.`,
    method: 'ask.retry',
    params: ([id]: [string]) => ({ id }),
    say: sayRetried,
    failed: ({ reached }) => reached === null,
  });

  teach(
    command,
    `  sotto ask list                       what waits for you
  sotto ask allow kfpm --minutes 30    let questions leave in clear here for half an hour
  sotto ask deny kfpm                  stay private
  sotto ask retry kfpm                 try again`,
    whatItMeans,
  );
}
