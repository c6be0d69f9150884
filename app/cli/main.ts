/** The `sotto` command. Only the given command is loaded, so that help and completion stay fast. */
import { CommanderError } from 'commander';
import type { CommandLine } from './command-line.ts';
import { CommandFailed, type CommandFailure, exitCodeFor, tellFailure } from './failure.ts';
import { buildProgram } from './program.ts';
import { endWithoutReader, openTerminal } from './terminal/terminal.ts';

await main(process.argv.slice(2));

async function main(words: string[]): Promise<void> {
  // Node would open a debugger's port, which gives full control to every program that connects.
  process.on('SIGUSR1', () => {});
  endWithoutReader(process.stdout);
  const line: CommandLine = {
    terminal: openTerminal(process.stdout, process.stderr, process.env),
    environment: process.env,
    now: Date.now,
    exitCode: 0,
  };
  try {
    const wanted = words.filter((word) => !word.startsWith('-') && word !== 'help')[0];
    const program = await buildProgram(line, wanted ?? '');
    await program.parseAsync(words, { from: 'user' });
    process.exitCode = line.exitCode;
  } catch (error) {
    process.exitCode = report(error, words, line);
  }
}

function report(error: unknown, words: readonly string[], line: CommandLine): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Without a command the program prints its help, which is already on stderr.
    if (error.code === 'commander.help') return 2;
  }
  const failure = failureOf(error);
  tellFailure(failure, words.includes('--json'), line.terminal);
  return exitCodeFor(failure.code);
}

function failureOf(error: unknown): CommandFailure {
  if (error instanceof CommandFailed) return error.failure;
  if (!(error instanceof CommanderError)) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { code: 'internal', message, remedy: 'this is a defect of Sotto: please report it' };
  }
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return { code: 'usage', message, remedy: 'see the same command with --help' };
}
