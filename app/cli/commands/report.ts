import type { Command } from 'commander';
import { safe, safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { unwrap } from '../failure.ts';

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command)).action((options) => showReport(line, options));
  withExamples(
    command,
    `  sotto report
  sotto report > report.txt`,
    `It says versions, states, figures and which settings differ from the defaults. It holds no names that were asked for, no
addresses, and nothing that you wrote: lists in the settings are only counted.`,
  );
}

async function showReport(line: CommandLine, options: CommonOptions): Promise<void> {
  const report = await withService(line, options, async (service) =>
    unwrap(await service.call('report.compose', {})),
  );
  if (options.json) line.terminal.out(safeJson(report));
  else for (const text of report.text.trimEnd().split('\n')) line.terminal.out(safe(text));
}
