/** `sotto upstream cross-check`: do the upstreams contradict each other about the names of "crossCheck.names"? */
import type { Command } from 'commander';
import type { CrossChecked } from '../../contract/probing/cross-check.ts';
import { followWork } from '../../contract/probing/follow-work.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailed } from '../failure.ts';
import { print } from '../terminal/print.ts';

export function defineCrossCheck(command: Command, line: CommandLine): void {
  defineCommand(command, {
    name: 'cross-check',
    description:
      'Ask all upstreams for the names of "crossCheck.names" now, and say whether they contradict each other.',
    examples: `  sotto config set crossCheck.names '["www.bank.example"]'
  sotto upstream cross-check                     a line for each name and type
  sotto upstream cross-check --json | jq -r 'select(.comparison.sides != null).name'`,
    more: `All upstreams of a name's group learn it. Names that policy keeps from them are not sent, and said so. Other addresses,
lifetimes, and aliases within one domain are no disagreement, because content networks bring them about. The service does the
same about once an hour; what it finds twice in a row is a health issue ("sotto status").
"sotto query NAME --each" shows the responses themselves.`,
    run: (_given, options: CommonOptions) => checkNow(line, options),
  });
}

async function checkNow(line: CommandLine, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  let checks = 0;
  await withService(line, options, async (service) => {
    const failure = await followWork(
      service,
      'upstream.crossChecked',
      () => service.call('upstream.crossCheck', {}),
      (checked) => {
        checks++;
        if (checked.comparison?.sides) line.exitCode = exitCodes.failed;
        print(terminal, options, checked, () => sayChecked(checked));
      },
    );
    if (failure !== null) throw new CommandFailed(failure);
  });
  if (checks === 0)
    terminal.error(
      '"crossCheck.names" names nothing: sotto config set crossCheck.names \'["NAME"]\'',
    );
}

function sayChecked({ name, type, comparison, skipped }: CrossChecked): string {
  return safe(`${name} ${type}: ${comparison?.text ?? skipped?.message ?? 'not sent'}`);
}
