import type { Command } from 'commander';
import { type CommandLine, withExamples, withHome, withJson } from '../command-line.ts';
import { switchProtection } from '../switch-protection.ts';

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command)).action((options) =>
    switchProtection(line, options, (service) => service.call('protection.off', {})),
  );
  withExamples(
    command,
    `  sotto off           until "sotto on", also across a restart
  sotto pause 10m     if you only need a moment: it ends by itself`,
    `While off, what still reaches Sotto goes to the system's own resolvers in clear and is counted, or is
refused at once where none is known.`,
  );
}
