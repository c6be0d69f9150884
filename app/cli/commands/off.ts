import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { switching } from './switch-protection.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    ...switching,
    examples: `  sotto off           until "sotto on", also across a restart
  sotto pause 10m     if you only need a moment: it ends by itself`,
    more: `While off, what still reaches Sotto goes to the system's own resolvers in cleartext and is counted, or is
refused at once where none is known.`,
    method: 'protection.off',
  });
}
