import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { BypassRule } from '../../contract/bypass-rule.ts';
import type { ResultOf } from '../../contract/service-api.ts';
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
import { renderRules, sayClaim, sayNames } from '../render-rules.ts';

interface ExportOptions extends CommonOptions {
  format: 'json' | 'text';
}

interface AddOptions extends CommonOptions {
  downgrade?: true;
}

interface AnswerOptions extends CommonOptions {
  link?: string;
}

interface ImportOptions extends CommonOptions {
  replace?: boolean;
  dryRun?: boolean;
}

const aboutRules = `A rule sends names to the plain resolvers given, in clear: for zones that exist only inside a network. Names are a domain with
everything below it, "=www.corp.example" for that name alone, "*" for single labels, "10.0.0.0/8" for the reverse names of these
addresses; the most specific rule wins. Resolvers are addresses, "network" for those of the network you are on, "link:tun0" for
those of a link. A public suffix such as "com" or "co.uk", or the root, is a downgrade: it needs --downgrade, and is counted as one.`;

const aboutLearning = `VPN links bring the names of their domains along, and take them with them when they go. What other networks say is theirs is
believed only when you say so; the answer is remembered for the network (see "learnRules" in "sotto config explain").`;

const aboutFormats = `text has a line for each rule: the suffix, then its resolvers; what stands after # is for people. json is what settings.json
has: { "bypass": [ { "suffix": "corp.example", "to": ["192.0.2.53"] } ] }.`;

export function define(command: Command, line: CommandLine): void {
  const list = command
    .command('list')
    .description('The bypass rules in force, whose they are, and what links claim.');
  withJson(withHome(list)).action((options) => listRules(line, options));
  withExamples(
    list,
    '  sotto rule list\n  sotto rule list --json | jq -r .rules[].suffix',
    `${aboutRules}\n\n${aboutLearning}`,
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
    .argument('<names>', 'corp.example with everything below, =name alone, "*", or 10.0.0.0/8')
    .argument('<resolver...>', 'IP addresses with optional ports, "network" or "link:NAME"')
    .description('Send names to resolvers of their own; a rule that is there is replaced.')
    .option('--downgrade', 'I mean it: the rule is for more than names of one network');
  withJson(withHome(add)).action((suffix: string, to: string[], options: AddOptions) =>
    addRule(line, { suffix: asciiName(suffix), to }, options),
  );
  withExamples(
    add,
    `  sotto rule add corp.example 192.0.2.53 192.0.2.54
  sotto rule add lab.example [2001:db8::53]:5353
  sotto rule add =intranet.example link:tun0
  sotto rule add 10.0.0.0/8 network`,
    aboutRules,
  );

  const remove = command
    .command('remove')
    .argument('<names>', 'as they stand in the rule')
    .description('Remove a rule: its names are asked like all others.');
  withJson(withHome(remove)).action((suffix: string, options) =>
    removeRule(line, asciiName(suffix), options),
  );
  withExamples(remove, '  sotto rule remove corp.example');

  defineAnswers(command, line);
  defineExchange(command, line);
  withExamples(
    command,
    `  sotto rule explain db.corp.example        what would happen to it?
  sotto rule add corp.example 192.0.2.53    send its names there
  sotto rule list`,
    aboutRules,
  );
}

function defineAnswers(command: Command, line: CommandLine): void {
  for (const [word, believe, description] of [
    [
      'believe',
      true,
      'Believe a link that a domain is its own: its names go to the link, in clear.',
    ],
    ['disbelieve', false, 'Do not believe it: the names are asked privately, like all others.'],
  ] as const) {
    const answer = command
      .command(word)
      .argument('<domain>', 'as "sotto rule list" names it')
      .option('--link <link>', 'of the links that claim it, which one')
      .description(description);
    withJson(withHome(answer)).action((suffix: string, options: AnswerOptions) =>
      answerClaim(line, { suffix: asciiName(suffix), believe }, options),
    );
    withExamples(answer, `  sotto rule ${word} corp.example`, aboutLearning);
  }
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
  for (const text of renderRules(found)) terminal.out(text);
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

async function answerClaim(
  line: CommandLine,
  { suffix, believe }: { suffix: string; believe: boolean },
  options: AnswerOptions,
): Promise<void> {
  const answered = await withService(line, options, async (service) => {
    const { claims } = unwrap(await service.call('rule.list', {}));
    const links = claims.filter((claim) => claim.suffix === suffix).map((claim) => claim.link);
    if (options.link === undefined && links.length > 1)
      throw badUsage(`${links.join(', ')} claim it`, 'say which: --link');
    const link = options.link ?? links[0] ?? 'any';
    return unwrap(await service.call('rule.answer', { suffix, link, believe }));
  });
  line.terminal.out(options.json ? safeJson(answered) : safe(sayClaim(answered)));
}

async function addRule(line: CommandLine, given: BypassRule, options: AddOptions): Promise<void> {
  const rule: BypassRule = options.downgrade ? { ...given, downgrade: true } : given;
  const added = await withService(line, options, async (service) =>
    unwrap(await service.call('rule.add', rule)),
  );
  line.terminal.out(
    options.json
      ? safeJson(added)
      : safe(`${sayNames(rule.suffix)} in clear to ${rule.to.join(', ')}.`),
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
