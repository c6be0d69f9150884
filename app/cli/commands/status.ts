import type { Command } from 'commander';
import { safeJson } from '../../contract/visible-text.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { unwrap } from '../failure.ts';
import { renderStatus } from '../render-status.ts';

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command)).action((options) => showStatus(line, options));
  withExamples(
    command,
    `  sotto status                              the state, the upstreams, what is wrong
  sotto status --json | jq .protection      for scripts
  sotto status > /dev/null || echo "no service"`,
  );
}

async function showStatus(line: CommandLine, options: CommonOptions): Promise<void> {
  const { terminal } = line;
  await withService(line, options, async (service) => {
    const status = unwrap(await service.call('status.get', {}));
    if (options.json) terminal.out(safeJson(status));
    else for (const text of renderStatus(status, terminal, line.now())) terminal.out(text);
  });
}
