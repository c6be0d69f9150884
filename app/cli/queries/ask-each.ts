/** Sends one query to every upstream side by side: response, cost, and how each differs from the first that came. */
import type { AnswerOfOne } from '../../contract/probing/ask-each.ts';
import { followWork } from '../../contract/probing/follow-work.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailed } from '../failure.ts';
import { print } from '../terminal/print.ts';
import type { Question } from './ask-service.ts';

export async function askEachUpstream(
  line: CommandLine,
  question: Question,
  options: CommonOptions,
): Promise<void> {
  const { terminal } = line;
  let answers = 0;
  await withService(line, options, async (service) => {
    const failure = await followWork(
      service,
      'query.answered',
      () => service.call('query.askEach', question),
      (answer) => {
        if (answer.reply !== null) answers++;
        print(terminal, options, answer, () => renderAnswer(answer));
      },
    );
    if (failure !== null) throw new CommandFailed(failure);
  });
  if (answers === 0) line.exitCode = exitCodes.failed;
}

function renderAnswer(answer: AnswerOfOne): string[] {
  const { upstream, transport, cost, connectMs, waitMs, reply, error, differs } = answer;
  if (reply === null)
    return [safe(`${upstream}: ${error?.text ?? 'an answer that can not be shown'}`)];
  const connected = connectMs > 0 ? `, ${sayLatency(connectMs)} to connect` : '';
  return [
    safe(
      `${upstream}: ${reply.rcode} in ${sayLatency(waitMs)} (${transport}, ${cost}${connected})`,
    ),
    ...reply.answer.map(
      ({ name, ttl, type, data }) => `    ${safe(`${name} ${ttl} ${type} ${data}`)}`,
    ),
    ...differs.map((text) => `    differs: ${safe(text)}`),
  ];
}
