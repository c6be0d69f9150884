import type { Command } from 'commander';
import { type CommandLine, withExamples } from '../command-line.ts';

export function define(command: Command, _line: CommandLine): void {
  withExamples(command, '  sotto run');
}
