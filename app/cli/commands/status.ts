import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { renderStatus } from '../render/status.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    examples: `  sotto status                              the verdict, the upstreams, what is wrong
  sotto status --json | jq -r .verdict.is   for scripts
  sotto status > /dev/null || echo "this computer is not protected"`,
    more: `The first line is the verdict: protected, not in use yet, partly protected, connecting, your choice, unencrypted,
blocked, log in, paused or off. The exit code is 0 only where this computer is protected: its programs ask Sotto, nothing is
known to go around it, and queries go out encrypted. It is 1 under every other verdict, and 3 where no service runs.`,
    method: 'status.get',
    failed: ({ verdict }) => verdict.is !== 'protected',
    say: (status) => renderStatus(status, line.terminal, line.now()),
  });
}
