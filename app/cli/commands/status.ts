import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { renderStatus } from '../render-status.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    examples: `  sotto status                              the state, the upstreams, what is wrong
  sotto status --json | jq .protection      for scripts
  sotto status > /dev/null || echo "no service"`,
    method: 'status.get',
    say: (status) => renderStatus(status, line.terminal, line.now()),
  });
}
