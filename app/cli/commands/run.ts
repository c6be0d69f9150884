import type { Command } from 'commander';
import { parseSocketAddress } from '../../contract/socket-address.ts';
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

async function run({ environment, terminal }: CommandLine, { home }: CommonOptions): Promise<void> {
  const { runService } = await import('../../service/main.ts');
  const onListening = (addresses: readonly string[]) => {
    if (terminal.interactive) terminal.out(terminal.paint('bold', sayHowToAsk(addresses)));
  };
  unwrap(await runService({ home, environment, onListening }));
}

export function sayHowToAsk(addresses: readonly string[]): string {
  const [first] = addresses.flatMap((address) => parseSocketAddress(address) ?? []);
  if (first === undefined) return 'Sotto runs, but listens nowhere. Stop it with Ctrl-C.';
  const { ip, port } = first;
  const whom = ip === '0.0.0.0' ? '127.0.0.1' : ip === '::' ? '::1' : ip;
  return `Sotto listens on ${addresses.join(' and ')}. Ask it: dig @${whom} -p ${port} example.com. Stop it with Ctrl-C.`;
}
