import { type Command, Option } from 'commander';
import { type ClearClass, clearClasses } from '../../contract/engine-words.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { readLedger } from '../../contract/protection/read-ledger.ts';
import type { ServiceClient } from '../../contract/service-api.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { unwrap } from '../failure.ts';
import { ledgerTitles, renderLedgerLine } from '../render/ledger.ts';
import { renderOwnProbes } from '../render/own-probes.ts';
import { print } from '../terminal/print.ts';
import { readLimit } from '../terminal/read-number.ts';
import { untilEnded } from '../terminal/until-ended.ts';

interface LedgerOptions extends CommonOptions {
  follow?: boolean;
  rules?: string;
  class?: ClearClass;
  limit: number;
}

const mostShown = 10_000;
const classes = clearClasses.filter((name) => name !== 'none');

export function define(command: Command, line: CommandLine): void {
  defineCommand(command, {
    options: [
      ['-f, --follow', 'go on with every change from now on, until Ctrl-C'],
      new Option('--class <class>', 'only this class').choices(classes),
      new Option('-n, --limit <entries>', 'the newest so many')
        .argParser(readLimit('entries', 1, mostShown))
        .default(20),
      ['--rules <list>', 'the rules of a list, which share an entry'],
    ],
    examples: `  sotto ledger                        the newest 20, the newest last
  sotto ledger --follow               what is opened, counted and closed from now on
  sotto ledger --class policy -n 100
  sotto ledger --rules list:4711:3f2a9c81d0e4b7a6
  sotto ledger --json | jq -s 'map(.count) | add'`,
    more: `No query leaves in cleartext without an entry here that was on disk before: who allowed it, where, why, until when, and
how many packets carried a name. Classes: policy (no private path, and "warn" or "fallback" allowed it; or upstreams
without TLS), off, paused, bypass (rules of yours), portal (a login page), service-down (Sotto did not run, so nobody
counted), contested (somebody else changed the system's DNS, and queries may have gone past Sotto, uncounted), explicit
("sotto query --at" over udp or tcp, by whose command). Many bypass rules for the same resolvers share an entry, as a list.
The last line counts what Sotto sent in cleartext of its own accord, without a name that anybody asked for: the offer of
STARTTLS, and what tells whether a network wants a login; sotto stats --json has it by kind.`,
    run: (_given, options: LedgerOptions) =>
      options.rules === undefined
        ? showLedger(line, options)
        : showRules(line, options, options.rules),
  });
}

async function showRules(line: CommandLine, options: LedgerOptions, list: string): Promise<void> {
  await withService(line, options, async (service) => {
    const { rules } = unwrap(await service.call('ledger.rules', { list }));
    for (const rule of rules.split('\n')) print(line.terminal, options, { rule }, () => safe(rule));
  });
}

async function showLedger(line: CommandLine, options: LedgerOptions): Promise<void> {
  const { terminal } = line;
  const show = (entry: LedgerEntry) =>
    print(terminal, options, entry, () => renderLedgerLine(entry, terminal));
  await withService(line, options, async (service) => {
    const ended = options.follow ? untilEnded(service) : null;
    const entries = await ask(service, options, show);
    if (entries.length === 0 && !options.follow && !options.json)
      terminal.error('The ledger has no such entry: nothing was allowed to leave in cleartext.');
    if (!options.follow && !options.json) {
      const { ownProbes, startedAt } = unwrap(await service.call('stats.get', {}));
      terminal.out(renderOwnProbes(ownProbes, startedAt));
    }
    await ended;
  });

  async function ask(
    service: ServiceClient,
    { limit, class: only, follow = false }: LedgerOptions,
    tell: (entry: LedgerEntry) => void,
  ): Promise<LedgerEntry[]> {
    const early: LedgerEntry[] = [];
    let take = (entry: LedgerEntry) => {
      early.push(entry);
    };
    service.on('ledger.changed', (entry) => take(entry));
    const entries = unwrap(await readLedger(service, { class: only, most: limit, follow }));
    if (!options.json && (entries.length > 0 || follow)) terminal.out(ledgerTitles());
    for (const entry of [...entries.reverse(), ...early]) tell(entry);
    take = tell;
    return entries;
  }
}
