import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { journalVariable } from '../../contract/journal.ts';
import { servicePaths } from '../../contract/service-paths.ts';
// biome-ignore lint/style/noRestrictedImports: this command becomes the service, or its guardian
import { writeTo } from '../../service/base/open-to-write.ts';
// biome-ignore lint/style/noRestrictedImports: as above
import { makePrivateFolder } from '../../service/base/private-folder.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';

interface RunOptions extends CommonOptions {
  guarded?: true;
  /** true: a file of the state folder */
  journal?: string | true;
}

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    options: [
      ['--guarded', 'under a guardian, which holds the addresses and restarts what dies'],
      [
        '--journal [file]',
        'write the journal here, anew, not to standard error (default: journal.jsonl in the state folder; -: standard error)',
      ],
    ],
    examples: `  sotto run                        with your settings, on 127.0.0.1:5300 and [::1]:5300
  sotto run --guarded              the same, and started again whenever it dies
  sotto run --home ./trial         everything under ./trial: settings.json, query log, socket
  dig @127.0.0.1 -p 5300 example.com    ask it`,
    more: `Ctrl-C or "sotto stop" stops it: what is in flight is answered, what happened is stored, the system's DNS is given back.
SIGTERM ends it, too, but leaves DNS with Sotto, and a guardian starts it again. SIGHUP reads the settings again. It tells
the journal what happens, in JSON lines that never hold a queried name: sotto-journal(7). "npm start" gives --journal.`,
    run: (_given, options: RunOptions) => run(line, options),
  });
}

async function run(line: CommandLine, options: RunOptions): Promise<void> {
  const { terminal } = line;
  const { home } = options;
  const paths = servicePaths(line.environment, home);
  const file = journalFile(options, paths.stateFolder);
  const told = file === null ? {} : { [journalVariable]: file };
  const environment: CommandLine['environment'] = { ...line.environment, ...told };
  if (options.guarded) {
    const { becomeGuardian } = await import('./guardian.ts');
    return becomeGuardian(environment, home, () => begin(file, paths.stateFolder));
  }
  begin(file, paths.stateFolder);
  const { runService } = await import('../../service/main.ts');
  const onListening = (addresses: readonly string[]) => {
    if (environment['SOTTO_GREETING'] !== undefined)
      terminal.out(greeting(addresses, paths.settingsFile, environment[journalVariable]));
    else if (terminal.interactive) terminal.out(terminal.paint('bold', sayHowToAsk(addresses)));
  };
  line.exitCode = unwrap(await runService({ home, environment, onListening }));
}

/** null: standard error, or the journal that the starting program has begun already */
function journalFile({ journal }: RunOptions, stateFolder: string): string | null {
  if (journal === undefined || journal === '-') return null;
  return journal === true ? join(stateFolder, 'journal.jsonl') : resolve(journal);
}

function begin(journal: string | null, stateFolder: string): void {
  if (journal === null) return;
  try {
    if (dirname(journal) === stateFolder) makePrivateFolder(stateFolder);
    writeTo(journal, '', 'over', 0o600);
  } catch (error) {
    throw badUsage(
      `the journal can not be written: ${error instanceof Error ? error.message : error}`,
      'give another file with --journal, or - for standard error',
    );
  }
}

export function sayHowToAsk(addresses: readonly string[]): string {
  const whom = whomToAsk(addresses);
  if (whom === null) return 'Sotto runs, but listens nowhere. Stop it with Ctrl-C.';
  return `Sotto listens on ${addresses.join(' and ')}. Ask it: dig ${whom} example.com. Stop it with Ctrl-C.`;
}

/** For a person who typed only `npm start`. */
function greeting(
  addresses: readonly string[],
  settingsFile: string,
  journal: string | undefined,
): string {
  const absent = existsSync(settingsFile) ? '' : ' (not there yet: defaults)';
  return [
    '',
    `Sotto listens on ${addresses.join(' and ')}`,
    '',
    `  ask it     dig ${whomToAsk(addresses) ?? '@127.0.0.1'} example.com`,
    '  watch it   npx sotto log --follow',
    '  its state  npx sotto status',
    `  settings   ${settingsFile}${absent}`,
    ...(journal === undefined ? [] : [`  journal    ${journal}`]),
    '  end it     Ctrl-C',
    '',
  ].join('\n');
}

/** In the form that dig takes. */
function whomToAsk(addresses: readonly string[]): string | null {
  const [first] = addresses.flatMap((address) => parseSocketAddress(address) ?? []);
  if (first === undefined) return null;
  const { ip, port } = first;
  const host = ip === '0.0.0.0' ? '127.0.0.1' : ip === '::' ? '::1' : ip;
  return `@${host} -p ${port ?? 53}`;
}
