/** The `sotto` command. Only the command that was asked for is loaded: help and completion stay fast. */
import { Command, CommanderError } from 'commander';
import type { CommandLine, CommandModule } from './command-line.ts';
import {
  CommandFailed,
  type CommandFailure,
  exitCodeFor,
  exitCodesHelp,
  tellFailure,
} from './failure.ts';
import { endQuietlyWithoutReader, openTerminal } from './terminal.ts';
import { readVersion } from './version.ts';

interface Entry {
  name: string;
  summary: string;
  load: () => Promise<CommandModule>;
}

const commands: readonly Entry[] = [
  {
    name: 'run',
    summary: 'run the service in this terminal until Ctrl-C',
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'status',
    summary: 'say what protects your questions now, and what is wrong',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'on',
    summary: 'answer privately again after "off" or "pause"',
    load: () => import('./commands/on.ts'),
  },
  {
    name: 'off',
    summary: "hand questions to the system's own resolvers, in clear",
    load: () => import('./commands/off.ts'),
  },
  {
    name: 'pause',
    summary: 'like "off", but ends by itself',
    load: () => import('./commands/pause.ts'),
  },
  {
    name: 'log',
    summary: 'show what was asked, and what became of it',
    load: () => import('./commands/log.ts'),
  },
  {
    name: 'upstream',
    summary: 'list and test the resolvers that answer you',
    load: () => import('./commands/upstream.ts'),
  },
  {
    name: 'query',
    summary: 'ask one question, through the service or straight to a server',
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'config',
    summary: 'check a settings file, show the settings in force',
    load: () => import('./commands/config.ts'),
  },
];

const introduction = `Private DNS: questions of this machine travel over authenticated TLS.

First steps:
  sotto run                    start the service here
  sotto query example.com      ask one question and see where its time went
  sotto log --follow           watch what programs ask
  dig @127.0.0.1 -p 5300 example.com

"sotto help COMMAND" teaches each command with examples; every command has --json.

${exitCodesHelp}`;

await main(process.argv.slice(2));

async function main(words: string[]): Promise<void> {
  endQuietlyWithoutReader(process.stdout);
  const line: CommandLine = {
    terminal: openTerminal(process.stdout, process.stderr, process.env),
    environment: process.env,
    now: Date.now,
    exitCode: 0,
  };
  try {
    const program = await buildProgram(words, line);
    await program.parseAsync(words, { from: 'user' });
    process.exitCode = line.exitCode;
  } catch (error) {
    process.exitCode = report(error, words, line);
  }
}

async function buildProgram(words: readonly string[], line: CommandLine): Promise<Command> {
  const program = new Command('sotto')
    .description('Private DNS from the system tray: the command line.')
    .version(readVersion(), '-V, --version', 'print the version')
    .addHelpText('after', `\n${introduction}`);
  quieten(program);
  const wanted = words.filter((word) => !word.startsWith('-') && word !== 'help')[0];
  for (const { name, summary, load } of commands) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
    if (name === wanted) (await load()).define(command, line);
  }
  return program;
}

/** Commander's own errors arrive as exceptions and are told the way all others are. */
function quieten(program: Command): void {
  program
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showHelpAfterError(false);
}

function report(error: unknown, words: readonly string[], line: CommandLine): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Without a command its own help is the answer, already on stderr.
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
