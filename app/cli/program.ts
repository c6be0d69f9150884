/** The declarations of `sotto`'s commands, from which help, completion and manual are made. */
import { Command } from 'commander';
import type { CommandLine, CommandModule } from './command-line.ts';
import { exitCodesHelp } from './exit-codes.ts';
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
    name: 'stop',
    summary: "stop the service, and give the system's DNS back",
    load: () => import('./commands/stop.ts'),
  },
  {
    name: 'status',
    summary: 'say what protects your queries now, and what is wrong',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'on',
    summary: 'answer privately again after "off" or "pause"',
    load: () => import('./commands/on.ts'),
  },
  {
    name: 'off',
    summary: "hand queries to the system's own resolvers, in cleartext",
    load: () => import('./commands/off.ts'),
  },
  {
    name: 'pause',
    summary: 'like "off", but ends by itself',
    load: () => import('./commands/pause.ts'),
  },
  {
    name: 'consent',
    summary: 'answer when Sotto asks what to do on a network without a private path',
    load: () => import('./commands/consent.ts'),
  },
  {
    name: 'portal',
    summary: 'log in to a network that wants it, while DNS stays private',
    load: () => import('./commands/portal.ts'),
  },
  {
    name: 'ledger',
    summary: 'show what was allowed to leave in cleartext, by whom, and how often it did',
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'network',
    summary: 'show, name and remember networks, with a policy for each',
    load: () => import('./commands/network.ts'),
  },
  {
    name: 'system',
    summary: 'lead every program of this machine to Sotto, or give its DNS back',
    load: () => import('./commands/system.ts'),
  },
  {
    name: 'coverage',
    summary: 'show what goes around Sotto: who, where to, how often, and what to do',
    load: () => import('./commands/coverage.ts'),
  },
  {
    name: 'connections',
    summary: 'list the programs that reach addresses which no response gave',
    load: () => import('./commands/connections.ts'),
  },
  {
    name: 'fix',
    summary: 'change settings of browsers and other programs that go around Sotto, or undo it',
    load: () => import('./commands/fix.ts'),
  },
  {
    name: 'log',
    summary: 'show what was asked, and what became of it',
    load: () => import('./commands/log.ts'),
  },
  {
    name: 'upstream',
    summary: 'list, test, add, remove and order the resolvers that answer you',
    load: () => import('./commands/upstream.ts'),
  },
  {
    name: 'rule',
    summary: 'say what would happen to a name; show and change the rules for names',
    load: () => import('./commands/rule.ts'),
  },
  {
    name: 'cache',
    summary: 'show and flush the responses that are kept',
    load: () => import('./commands/cache.ts'),
  },
  {
    name: 'stats',
    summary: 'show counts, costs and latencies, once or every second',
    load: () => import('./commands/stats.ts'),
  },
  {
    name: 'doctor',
    summary: 'test this installation and say what to do about what is wrong',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'report',
    summary: 'print how Sotto is, for others to read: without names, addresses or your own words',
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'query',
    summary: 'ask one query, through the service or straight to a server',
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'ui',
    summary: 'show the page in a browser: status, query log, settings',
    load: () => import('./commands/ui.ts'),
  },
  {
    name: 'config',
    summary: 'show and change the settings in force, check a settings file',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'profile',
    summary: 'take, or make and sign, what an organisation wants of its machines',
    load: () => import('./commands/profile.ts'),
  },
  {
    name: 'audit',
    summary: 'show and check the record of what was decided about protection',
    load: () => import('./commands/audit.ts'),
  },
  {
    name: 'pause-code',
    summary: 'for a help desk: let a machine pause once, by a code',
    load: () => import('./commands/pause-code.ts'),
  },
  {
    name: 'completion',
    summary: 'print what your shell needs to complete this command',
    load: () => import('./commands/completion.ts'),
  },
];

export const promise = 'Private DNS: queries of this machine travel over authenticated TLS.';

export const firstSteps = `  sotto run                    start the service here
  sotto query example.com      ask one query and see where its time went
  sotto log --follow           watch what programs ask
  sotto doctor                 find out what is wrong, and what to do
  dig @127.0.0.1 -p 5300 example.com`;

const introduction = `${promise}

First steps:
${firstSteps}

"sotto help COMMAND" teaches each command with examples; every command has --json.

${exitCodesHelp}`;

/** `wanted`: the one command to load, with its options and arguments; the others are names only. */
export async function buildProgram(line: CommandLine, wanted: string | 'all'): Promise<Command> {
  const program = new Command('sotto')
    .description('Private DNS from the system tray: the command line.')
    .version(readVersion(), '-V, --version', 'print the version')
    .addHelpText('after', `\n${introduction}`);
  quieten(program);
  for (const { name, summary, load } of commands) {
    const command = program
      .command(name)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
    if (wanted === 'all' || name === wanted)
      (await load()).define(command, line, () => buildProgram(line, 'all'));
  }
  return program;
}

/** Commander's own errors arrive as exceptions and are printed like all others. */
function quieten(program: Command): void {
  program
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showHelpAfterError(false);
}
