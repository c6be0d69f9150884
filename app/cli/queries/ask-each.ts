/** Sends one query to every upstream side by side: response, cost, how each differs from the first that came, and whether they disagree. */
import type { ResponseOfOne } from '../../contract/probing/ask-each.ts';
import { followWork } from '../../contract/probing/follow-work.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailed } from '../failure.ts';
import { print } from '../terminal/print.ts';
import type { Query } from './ask-service.ts';

export async function askEachUpstream(
  line: CommandLine,
  query: Query,
  options: CommonOptions,
): Promise<void> {
  const { terminal } = line;
  let responses = 0;
  await withService(line, options, async (service) => {
    const failure = await followWork(
      service,
      'query.answered',
      () => service.call('query.askEach', query),
      (answer) => {
        if (answer.response !== null) responses++;
        const { comparison } = answer;
        print(terminal, options, answer, () => [
          ...renderResponse(answer),
          ...(comparison === null ? [] : [safe(comparison.text)]),
        ]);
      },
    );
    if (failure !== null) throw new CommandFailed(failure);
  });
  if (responses === 0) line.exitCode = exitCodes.failed;
}

function renderResponse(answer: ResponseOfOne): string[] {
  const { upstream, transport, cost, connectMs, waitMs, response, error, differs } = answer;
  if (response === null)
    return [safe(`${upstream}: ${error?.text ?? 'a response that can not be shown'}`)];
  const connected = connectMs > 0 ? `, ${sayLatency(connectMs)} to connect` : '';
  return [
    safe(
      `${upstream}: ${response.rcode} in ${sayLatency(waitMs)} (${transport}, ${cost}${connected})`,
    ),
    ...response.answer.map(
      ({ name, ttl, type, data }) => `    ${safe(`${name} ${ttl} ${type} ${data}`)}`,
    ),
    ...differs.map((text) => `    differs: ${safe(text)}`),
  ];
}
