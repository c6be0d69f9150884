import type { Command } from 'commander';
import type { Ask } from '../../contract/ask.ts';
import type { Result } from '../../contract/errors.ts';
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
import { badUsage, exitCodes, unwrap } from '../failure.ts';
import { renderAsk, sayAnswer, sayRetried } from '../render-ask.ts';

interface AllowOptions extends CommonOptions {
  minutes: number;
}

const longestMinutes = 10_080;

const whatItMeans = `With "downgrade": "warn" you are asked once per network when no private path works there: every upstream was tried, on
both its ports. Until you answer, and if you don't within ten minutes, questions are refused and nothing is sent in
clear. What you allow is written to the ledger first, ends by itself, and ends at once when a private path works again.`;

export function define(command: Command, line: CommandLine): void {
  const list = command
    .command('list')
    .description('The questions that wait for you, and what became of earlier ones.');
  withJson(withHome(list)).action((options) => listAsks(line, options));
  withExamples(
    list,
    `  sotto ask list
  sotto ask list --json | jq -r '.asks[] | select(.state == "open").id'`,
  );

  const allow = command
    .command('allow')
    .argument('<ask>', 'which question: the word "sotto ask list" begins with')
    .description('Let questions leave in clear on this network for a while; each is counted.')
    .requiredOption('--minutes <minutes>', `for how long, at most ${longestMinutes}`, readMinutes);
  withJson(withHome(allow)).action((id: string, { minutes, ...options }: AllowOptions) =>
    give(line, options, (service) => service.call('ask.allow', { id, minutes })),
  );
  withExamples(
    allow,
    `  sotto ask allow kfpm --minutes 30    half an hour on this network, and nowhere else
  sotto ledger --follow                what leaves meanwhile`,
  );

  const deny = command
    .command('deny')
    .argument('<ask>', 'which question')
    .description('Stay private: questions are refused until a private path works or you move on.');
  withJson(withHome(deny)).action((id: string, options: CommonOptions) =>
    give(line, options, (service) => service.call('ask.deny', { id })),
  );
  withExamples(deny, '  sotto ask deny kfpm');

  const retry = command
    .command('retry')
    .argument('<ask>', 'which question; one that was answered "no", or not at all, will do')
    .description('Try the private paths again; if that is in vain you are asked anew.');
  withJson(withHome(retry)).action((id: string, options: CommonOptions) =>
    tryAgain(line, id, options),
  );
  withExamples(
    retry,
    '  sotto ask retry kfpm    after logging in to the hotel, for example',
    `Every private upstream is asked at once for something that is nobody's business; within five seconds you are told
whether one answers. The exit code is 1 when none does.`,
  );

  withExamples(
    command,
    `  sotto ask list                       what waits for you
  sotto ask allow kfpm --minutes 30    let questions leave in clear here for half an hour
  sotto ask deny kfpm                  stay private
  sotto ask retry kfpm                 try again`,
    whatItMeans,
  );
}

async function listAsks(line: CommandLine, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  const { asks } = await withService(line, options, async (service) =>
    unwrap(await service.call('ask.list', {})),
  );
  if (options.json) terminal.out(safeJson({ asks }));
  else if (asks.length === 0) terminal.error('Nothing waits for an answer.');
  else for (const ask of asks) for (const text of renderAsk(ask, line.now())) terminal.out(text);
}

async function give(
  line: CommandLine,
  options: CommonOptions,
  answer: (service: ServiceClient) => Promise<Result<Ask>>,
): Promise<void> {
  const given = await withService(line, options, async (service) => unwrap(await answer(service)));
  line.terminal.out(options.json ? safeJson(given) : sayAnswer(given));
}

async function tryAgain(line: CommandLine, id: string, options: CommonOptions): Promise<void> {
  const retried = await withService(line, options, async (service) =>
    unwrap(await service.call('ask.retry', { id })),
  );
  if (retried.reached === null) line.exitCode = exitCodes.failed;
  if (options.json) line.terminal.out(safeJson(retried));
  else for (const text of sayRetried(retried)) line.terminal.out(text);
}

function readMinutes(text: string): number {
  const minutes = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && minutes > 0 && minutes <= longestMinutes) return minutes;
  throw badUsage(
    `"${text}" is not a number of minutes`,
    `give --minutes a number up to ${longestMinutes}, a week`,
  );
}
