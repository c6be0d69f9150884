import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { switching } from './switch-protection.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    ...switching,
    examples: `  sotto on            end "off" or "pause"; queries go privately again
  sotto on --json     {"verdict":{"is":"protected",…},"protection":{…},"sentence":"…"}`,
    method: 'protection.on',
  });
}
