import type { Command } from 'commander';
import { type CommandLine, withExamples, withHome, withJson } from '../command-line.ts';
import { switchProtection } from '../switch-protection.ts';

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command)).action((options) =>
    switchProtection(line, options, (service) => service.call('protection.on', {})),
  );
  withExamples(
    command,
    `  sotto on            end "off" or "pause"; questions go over TLS again
  sotto on --json     {"protection":{"state":"private",…},"sentence":"…"}`,
  );
}
