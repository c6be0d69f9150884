/** Sends one query through the service, as a program's query would go. */

import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { unwrap } from '../failure.ts';
import { renderCost, renderMessage } from '../render/answer.ts';
import { print } from '../terminal/print.ts';

export interface Query {
  name: string;
  type: string;
}

export async function askService(
  line: CommandLine,
  { name, type }: Query,
  options: CommonOptions,
): Promise<void> {
  const { terminal } = line;
  const { event, response } = await withService(line, options, async (service) =>
    unwrap(await service.call('query.ask', { name, type })),
  );
  print(terminal, options, { ...event, response }, () => [
    ...renderMessage(response),
    '',
    ...renderCost(event),
  ]);
  if (!isAnswer(response.rcode)) line.exitCode = exitCodes.failed;
}

/** "This name does not exist" is an answer, too. */
export function isAnswer(rcode: string): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN';
}
