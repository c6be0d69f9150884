import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ResultOf } from '../../contract/service-api.ts';
import type { BypassRule } from '../../contract/upstream-settings.ts';
import { safe, safeJson } from '../../contract/visible-text.ts';
import { asciiName } from '../ascii-name.ts';
import {
  type CommandLine,
  type CommonOptions,
  withExamples,
  withHome,
  withJson,
  withService,
} from '../command-line.ts';
import { badUsage, unwrap } from '../failure.ts';
import { renderTable } from '../table.ts';

interface ExportOptions extends CommonOptions {
  format: 'json' | 'text';
}

interface ImportOptions extends CommonOptions {
  replace?: boolean;
  dryRun?: boolean;
}

const aboutRules = `A rule sends all names at and below a suffix to the plain resolvers given, in clear: for zones that exist only inside a
network. The longest suffix wins. A public suffix such as "com" or "co.uk", or the root, is refused: that would be a downgrade.`;

const aboutFormats = `text has a line for each rule: the suffix, then its resolvers; what stands after # is for people. json is what settings.json
has: { "bypass": [ { "suffix": "corp.example", "to": ["192.0.2.53"] } ] }.`;

export function define(command: Command, line: CommandLine): void {
  const list = command.command('list').description('The bypass rules in force.');
  withJson(withHome(list)).action((options) => listRules(line, options));
  withExamples(
    list,
    '  sotto rule list\n  sotto rule list --json | jq -r .rules[].suffix',
    aboutRules,
  );

  const explain = command
    .command('explain')
    .argument('<name>', 'the name to ask about')
    .argument('[type]', 'A, AAAA, HTTPS, TXT … or TYPE65280', 'A')
    .description('What would happen to a question now, and why. Nothing is asked.');
  withJson(withHome(explain)).action((name: string, type: string, options) =>
    explainName(line, name, type, options),
  );
  withExamples(
    explain,
    `  sotto rule explain db.corp.example
  sotto rule explain printer.local AAAA
  sotto rule explain example.com --json | jq -r .servers[0]`,
    "The engine's own policy answers, the one that would decide the question itself.",
  );

  const add = command
    .command('add')
    .argument('<suffix>', 'the zone; everything below it is included')
    .argument('<resolver...>', 'IP addresses with optional ports, tried in order')
    .description(
      'Send the names of a zone to its own resolvers; a rule that is there is replaced.',
    );
  withJson(withHome(add)).action((suffix: string, to: string[], options) =>
    addRule(line, { suffix: asciiName(suffix), to }, options),
  );
  withExamples(
    add,
    '  sotto rule add corp.example 192.0.2.53 192.0.2.54\n  sotto rule add lab.example [2001:db8::53]:5353',
    aboutRules,
  );

  const remove = command
    .command('remove')
    .argument('<suffix>', 'as it stands in the rule')
    .description('Remove a rule: its names are asked like all others.');
  withJson(withHome(remove)).action((suffix: string, options) =>
    removeRule(line, asciiName(suffix), options),
  );
  withExamples(remove, '  sotto rule remove corp.example');

  defineExchange(command, line);
  withExamples(
    command,
    `  sotto rule explain db.corp.example        what would happen to it?
  sotto rule add corp.example 192.0.2.53    send its names there
  sotto rule list`,
    aboutRules,
  );
}

function defineExchange(command: Command, line: CommandLine): void {
  const output = command
    .command('export')
    .description('Print the rules, to be kept or given to others.')
    .addOption(
      new Option('--format <format>', 'how they are written')
        .choices(['text', 'json'])
        .default('text'),
    );
  withHome(output).action((options: ExportOptions) => exportRules(line, options));
  withExamples(
    output,
    '  sotto rule export > rules.txt\n  sotto rule export --format json',
    aboutFormats,
  );

  const input = command
    .command('import')
    .argument('<file>', 'rules as "export" prints them; - reads standard input')
    .description('Take rules over from a file, all of them or, with an error in one, none.')
    .option('--replace', 'remove rules that the file does not have')
    .option('--dry-run', 'only say what would change');
  withJson(withHome(input)).action((file: string, options: ImportOptions) =>
    importRules(line, file, options),
  );
  withExamples(
    input,
    `  sotto rule import rules.txt --dry-run
  sotto rule import rules.txt
  sotto rule export | ssh other sotto rule import - --replace`,
    aboutFormats,
  );
}

async function listRules(line: CommandLine, options: CommonOptions): Promise<void> {
  const found = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.list', {})),
  );
  const { terminal } = line;
  if (options.json) return terminal.out(safeJson(found));
  if (found.rules.length === 0) terminal.out('There is no rule: every name goes to the upstreams.');
  else
    for (const text of renderTable(
      [{ title: 'suffix' }, { title: 'resolvers' }],
      found.rules.map(({ suffix, to }) => [safe(suffix), safe(to.join(', '))]),
    ))
      terminal.out(text);
  if (found.locked)
    terminal.out(
      safe(`Locked by ${found.lockedBy}${found.reason === null ? '' : `: ${found.reason}`}.`),
    );
}

async function explainName(
  line: CommandLine,
  name: string,
  type: string,
  options: CommonOptions,
): Promise<void> {
  const question = { name: asciiName(name), type: type.toUpperCase() };
  const said = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.explain', question)),
  );
  line.terminal.out(options.json ? safeJson(said) : safe(said.sentence));
}

async function addRule(line: CommandLine, rule: BypassRule, options: CommonOptions): Promise<void> {
  const added = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.add', rule)),
  );
  line.terminal.out(
    options.json
      ? safeJson(added)
      : safe(`Names at and below ${rule.suffix} go in clear to ${rule.to.join(', ')}.`),
  );
}

async function removeRule(
  line: CommandLine,
  suffix: string,
  options: CommonOptions,
): Promise<void> {
  const removed = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.remove', { suffix })),
  );
  line.terminal.out(
    options.json ? safeJson(removed) : safe(`The rule for ${removed.rule.suffix} is removed.`),
  );
}

async function exportRules(line: CommandLine, options: ExportOptions): Promise<void> {
  const { text } = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.export', { format: options.format })),
  );
  line.terminal.out(text.trimEnd());
}

async function importRules(line: CommandLine, file: string, options: ImportOptions): Promise<void> {
  const text = readRulesFile(file);
  const mode = options.replace === true ? 'replace' : 'merge';
  const changes = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.import', { text, mode, dryRun: options.dryRun === true })),
  );
  if (options.json) line.terminal.out(safeJson(changes));
  else
    for (const said of sayChanges(changes, options.dryRun === true)) line.terminal.out(safe(said));
}

function readRulesFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badUsage(`${file} can't be read: ${reason}`, 'name a file, or - for standard input');
  }
}

function sayChanges(
  { added, changed, removed, unchanged }: ResultOf<'rule.import'>,
  dryRun: boolean,
): string[] {
  const say = (mark: string, { suffix, to }: BypassRule) => `${mark} ${suffix}  ${to.join(' ')}`;
  const count = added.length + changed.length + removed.length;
  return [
    ...added.map((rule) => say('+', rule)),
    ...changed.map(({ after }) => say('~', after)),
    ...removed.map((rule) => say('-', rule)),
    `${count} ${count === 1 ? 'rule' : 'rules'} ${dryRun ? 'would change' : 'changed'}, ${unchanged} as before.`,
  ];
}
