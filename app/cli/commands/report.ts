import type { Command } from 'commander';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    examples: `  sotto report
  sotto report > report.txt`,
    more: `It says versions, states, figures and which settings differ from the defaults. It holds no names that were asked for, no
addresses, and nothing that you wrote: lists in the settings are only counted.`,
    method: 'report.compose',
    say: ({ text }) => text.trimEnd().split('\n').map(safe),
  });
}
