/** What every command is given, and the options most of them share. */
import type { Command } from 'commander';
import { reachablePaths, type ServicePaths } from '../contract/service-paths.ts';
import { type ConnectedService, connectToService } from '../service-client/service-client.ts';
import { type ExitCode, exitCodesHelp, unwrap } from './failure.ts';
import type { Terminal } from './terminal.ts';

export interface CommandLine {
  terminal: Terminal;
  environment: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** Set by a command that did its work and has something other than 0 to say. */
  exitCode: ExitCode;
}

export interface CommonOptions {
  json?: boolean;
  home?: string;
}

/** A command's file: adds its arguments, options, help and action. */
export interface CommandModule {
  define(command: Command, line: CommandLine): void;
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON: one object, or one a line where output goes on');
}

export function withHome(command: Command): Command {
  return command.option(
    '--home <folder>',
    'where this Sotto keeps its files (default: $SOTTO_HOME, those of the installed service, or XDG folders)',
  );
}

/** What a command's help teaches beyond its declaration; the manual tells it too. */
export interface Lesson {
  examples: string;
  /** paragraphs below the examples; empty where there are none */
  more: string;
}

const lessons = new WeakMap<Command, Lesson>();

export function lessonOf(command: Command): Lesson | null {
  return lessons.get(command) ?? null;
}

export function withExamples(command: Command, examples: string, more = ''): Command {
  lessons.set(command, { examples, more });
  const sections = [`Examples:\n${examples}`, more, exitCodesHelp].filter((text) => text !== '');
  return command.addHelpText('after', `\n${sections.join('\n\n')}`);
}

export function pathsFor(line: CommandLine, options: CommonOptions): ServicePaths {
  return reachablePaths(line.environment, options.home);
}

export async function withService<Value>(
  line: CommandLine,
  options: CommonOptions,
  work: (service: ConnectedService) => Promise<Value>,
): Promise<Value> {
  const path = pathsFor(line, options).controlSocket;
  const service = unwrap(await connectToService(path, 'sotto command line'));
  try {
    return await work(service);
  } finally {
    service.close();
  }
}
