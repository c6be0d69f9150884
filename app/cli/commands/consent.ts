import { type Command, Option } from 'commander';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { renderConsentRequest, sayAnswer, sayRetried } from '../render/consent-request.ts';
import { readMinutes } from '../terminal/read-number.ts';

interface AllowOptions extends CommonOptions {
  minutes: number;
}

const longestMinutes = 10_080;

const whatItMeans = `With "downgrade": "warn" you are asked once per network when no private path works there: every upstream was tried, on
both its ports. Until you answer, and if you don't within ten minutes, queries are refused and nothing is sent in
cleartext. What you allow is written to the ledger first, ends by itself, and ends at once when a private path works again.`;

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'list',
    description: 'The consent requests that wait for you, and what became of earlier ones.',
    examples: `  sotto consent list
  sotto consent list --json | jq -r '.consentRequests[] | select(.state == "open").id'`,
    method: 'consent.list',
    say: ({ consentRequests }) =>
      consentRequests.flatMap((request) => renderConsentRequest(request, line.now())),
    nothing: () => 'Nothing waits for an answer.',
  });

  defineCall(command, line, {
    name: 'allow',
    arguments: [['<request>', 'which consent request: the word "sotto consent list" begins with']],
    options: [
      new Option('--minutes <minutes>', `for how long, at most ${longestMinutes}`)
        .argParser(readMinutes(longestMinutes, ', a week'))
        .makeOptionMandatory(),
    ],
    description: 'Let queries leave in cleartext on this network for a while; each is counted.',
    examples: `  sotto consent allow kfpm --minutes 30    half an hour on this network, and nowhere else
  sotto ledger --follow                    what leaves meanwhile`,
    method: 'consent.allow',
    params: ([id]: [string], { minutes }: AllowOptions) => ({ id, minutes }),
    say: sayAnswer,
  });

  defineCall(command, line, {
    name: 'deny',
    arguments: [['<request>', 'which consent request']],
    description: 'Stay private: queries are refused until a private path works or you move on.',
    examples: '  sotto consent deny kfpm',
    method: 'consent.deny',
    params: ([id]: [string]) => ({ id }),
    say: sayAnswer,
  });

  defineCall(command, line, {
    name: 'retry',
    arguments: [
      ['<request>', 'which consent request; one that was answered "no", or not at all, will do'],
    ],
    description: 'Try the private paths again; if that is in vain you are asked anew.',
    examples: '  sotto consent retry kfpm    after logging in to the hotel, for example',
    more: `Every private upstream is asked at once for something that is nobody's business; within five seconds you are told
whether one answers. The exit code is 1 when none does.`,
    method: 'consent.retry',
    params: ([id]: [string]) => ({ id }),
    say: sayRetried,
    failed: ({ reached }) => reached === null,
  });

  teach(
    command,
    `  sotto consent list                       what waits for you
  sotto consent allow kfpm --minutes 30    let queries leave in cleartext here for half an hour
  sotto consent deny kfpm                  stay private
  sotto consent retry kfpm                 try again`,
    whatItMeans,
  );
}
