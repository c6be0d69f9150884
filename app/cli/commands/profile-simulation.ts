/** `sotto profile simulate`: what a version would change, before anybody takes it. */
import { type Command, Option } from 'commander';
import { grants } from '../../contract/settings/profile-methods.ts';
import type { CommandLine } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { readGrants, readProfileOctets } from './profile-enrolment.ts';
import type { SimulateOptions } from './profile-simulation-work.ts';

export function defineSimulation(command: Command, line: CommandLine): void {
  defineCommand(command, {
    name: 'simulate',
    arguments: [
      [
        '[file]',
        'a version, signed or not; without it, the one that this machine has, as if what waits were approved',
      ],
    ],
    options: [
      ['--approved', 'as if what waits in it were approved'],
      new Option(
        '--allow <grants>',
        `as if the enrolment allowed these, separated by commas: ${grants.join(', ')}`,
      ).argParser(readGrants),
      ['--last <number>', 'of logged queries (default: 100000)'],
      [
        '--queries <file>',
        'decide about these instead, one in a line: NAME [TYPE [TIMES]], or what "sotto log --json" prints; "-": standard input',
      ],
    ],
    description: 'What a version would change for queries that were asked here. Nothing is sent.',
    examples: `  sudo sotto profile simulate corp-8.json
  sudo sotto profile simulate                     what waits, before "sotto profile approve"
  sotto profile simulate corp-8.json --queries names.txt
  sotto profile simulate corp.json --allow bypass --queries names.txt --json | jq .simulation.totals`,
    more: `The engine decides about each query twice, under the settings that hold now and under those that would hold, by the same code
that decides about real ones. It goes by the present network and the present condition of the upstreams; of several upstreams
it compares the first. Nothing comes into force, and nothing is written.

Only an administrator may simulate with the query log, because the counts alone would tell who asked for which names. Where the
log keeps no whole names ("queryLog": "mode"), it says so and decides about nothing. Names that the log kept while it reduced
them to domains are decided about as they stand there. With "--queries", nobody's log is read.`,
    run: async ([file]: [string?], options: SimulateOptions) => {
      const profile = file === undefined ? {} : { profile: readProfileOctets(file) };
      await (await import('./profile-simulation-work.ts')).simulate(line, profile, options);
    },
  });
}
