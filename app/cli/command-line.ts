/** What every command receives, the options that most of them share, and how they reach the service. */
import type { Command } from 'commander';
import { reachablePaths, type ServicePaths } from '../contract/service-paths.ts';
import { type ConnectedService, connectToService } from '../service-client/service-client.ts';
import { unwrap } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface CommandLine {
  terminal: Terminal;
  environment: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** Set by a command that did its work and ends with a status other than 0. */
  exitCode: number;
}

export interface CommonOptions {
  json?: boolean;
  home?: string;
}

/** The file of one command adds its arguments, options, help and action. `wholeProgram` loads the files of all commands. */
export interface CommandModule {
  define(command: Command, line: CommandLine, wholeProgram: () => Promise<Command>): void;
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
