import type { Command } from 'commander';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
} from '../command-line.ts';
import { unwrap } from '../failure.ts';

export function define(command: Command, line: CommandLine): void {
  withJson(withHome(command)).action((options) => run(line, options));
  withExamples(
    command,
    `  sotto run                        with your settings, on 127.0.0.1:5300 and [::1]:5300
  sotto run --home ./trial         everything under ./trial: settings.json, history, socket
  dig @127.0.0.1 -p 5300 example.com    ask it`,
    `Ctrl-C or SIGTERM stops it: what is in flight is answered, what happened is stored. SIGHUP reads the
settings again. Its own log, which never holds a queried name, is JSON lines.`,
  );
}

async function run({ environment }: CommandLine, { home }: CommonOptions): Promise<void> {
  const { runService } = await import('../../service/main.ts');
  unwrap(await runService({ home, environment }));
}
