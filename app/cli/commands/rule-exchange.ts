/** `sotto rule export` and `import`: rules as a text, to be kept or given to others. */
import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { ResultOf } from '../../contract/service-api.ts';
import { type BypassRule, ruleText } from '../../contract/settings/bypass-rule.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { badUsage } from '../failure.ts';

interface ExportOptions extends CommonOptions {
  format: 'json' | 'text';
}

interface ImportOptions extends CommonOptions {
  replace?: boolean;
  dryRun?: boolean;
}

const aboutFormats = `text has a line for each rule: the suffix, then its resolvers, then its condition in words such as user=backup, unit=a.service,
network=Office and hours=mon,tue@22:00-06:00; what stands after # is for people. json is what settings.json has:
{ "bypass": [ { "suffix": "corp.example", "to": ["192.0.2.53"] } ] }.`;

export function defineExchange(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'export',
    description: 'Print the rules, to be kept or given to others.',
    options: [
      new Option('--format <format>', 'how they are written')
        .choices(['text', 'json'])
        .default('text'),
    ],
    json: false,
    examples: '  sotto rule export > rules.txt\n  sotto rule export --format json',
    more: aboutFormats,
    method: 'rule.export',
    params: (_given, { format }: ExportOptions) => ({ format }),
    say: ({ text }) => text.trimEnd(),
  });

  defineCall(command, line, {
    name: 'import',
    arguments: [['<file>', 'rules as "export" prints them; - reads standard input']],
    description: 'Take rules over from a file, all of them or, with an error in one, none.',
    options: [
      ['--replace', 'remove rules that the file does not have'],
      ['--dry-run', 'only say what would change'],
    ],
    examples: `  sotto rule import rules.txt --dry-run
  sotto rule import rules.txt
  sotto rule export | ssh other sotto rule import - --replace`,
    more: aboutFormats,
    method: 'rule.import',
    params: ([file]: [string], { replace = false, dryRun = false }: ImportOptions) => ({
      text: readRulesFile(file),
      mode: replace ? 'replace' : 'merge',
      dryRun,
    }),
    say: (changes, _given, { dryRun = false }) => sayChanges(changes, dryRun).map(safe),
  });
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
  const say = (mark: string, rule: BypassRule) => `${mark} ${ruleText(rule)}  ${rule.to.join(' ')}`;
  const count = added.length + changed.length + removed.length;
  return [
    ...added.map((rule) => say('+', rule)),
    ...changed.map(({ after }) => say('~', after)),
    ...removed.map((rule) => say('-', rule)),
    `${count} ${count === 1 ? 'rule' : 'rules'} ${dryRun ? 'would change' : 'changed'}, ${unchanged} as before.`,
  ];
}
