/**
 * Bypass rules as text, to be kept, given to others and brought back: JSON as in settings.json, or a line each.
 *
 *     # what stands after a hash is for people
 *     corp.example   192.0.2.53 192.0.2.54
 *     lab.example    [2001:db8::53]:5353
 *     =www.example   link:tun0
 *     10.0.0.0/8     network
 *     db.example     192.0.2.53 user=backup unit=backup.service hours=mon,tue@22:00-06:00 network=At%20work
 *
 * Pure. What is brought in may come from anywhere: all its errors are told by line, and it is taken whole or not at all.
 */
import { z } from 'zod';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { type BypassRule, bypassRule } from '../../contract/settings/bypass-rule.ts';
import { readIssues, writePath } from '../../contract/settings/validation-issues.ts';
import { conditionWords, isConditionWord, readConditionWords } from './condition-words.ts';

const rulesFile = z.strictObject({ bypass: z.array(bypassRule) });

/** At the end of a line: the rule is a downgrade, on purpose. */
const meant = 'downgrade';

/** More errors than a person reads at once. */
const mostErrors = 20;

export function writeRules(rules: readonly BypassRule[], format: 'json' | 'text'): string {
  if (format === 'json') return `${JSON.stringify({ bypass: rules }, null, 2)}\n`;
  const width = Math.max(0, ...rules.map(({ suffix }) => suffix.length));
  const lines = rules.map(({ suffix, to, downgrade, when = {} }) =>
    [
      suffix.padEnd(width),
      '',
      ...to,
      ...(downgrade === true ? [meant] : []),
      ...conditionWords(when),
    ].join(' '),
  );
  return ['# names, then the plain resolvers for them', ...lines, ''].join('\n');
}

/** JSON begins with a brace; no suffix does. */
export function readRules(text: string): Result<BypassRule[]> {
  const content = text.replace(/^\uFEFF/, '');
  return content.trimStart().startsWith('{') ? readJson(content) : readLines(content);
}

function readJson(text: string): Result<BypassRule[]> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(['it begins as JSON, and is none']);
  }
  const checked = rulesFile.safeParse(value);
  if (checked.success) return succeed(checked.data.bypass);
  return refused(
    readIssues(checked.error).map(({ path, reason }) => `${writePath(path)}: ${reason}`),
  );
}

function readLines(text: string): Result<BypassRule[]> {
  const rules: BypassRule[] = [];
  const errors: string[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const [suffix = '', ...words] = line.replace(/#.*$/s, '').trim().split(/\s+/);
    if (suffix === '') continue;
    const read = readRule(suffix, words);
    if (Array.isArray(read)) errors.push(...read.map((reason) => `line ${index + 1}: ${reason}`));
    else rules.push(read);
  }
  return errors.length > 0 ? refused(errors) : succeed(rules);
}

/** The rule, or why the line is none. */
function readRule(suffix: string, all: readonly string[]): BypassRule | string[] {
  const when = readConditionWords(all.filter(isConditionWord));
  const words = all.filter((word) => !isConditionWord(word));
  const isMeant = words.at(-1) === meant;
  const to = isMeant ? words.slice(0, -1) : words;
  const checked = bypassRule.safeParse({
    suffix,
    to,
    ...(isMeant ? { downgrade: true } : {}),
    ...(when === null ? {} : { when }),
  });
  if (checked.success) return checked.data;
  return to.length === 0
    ? ['no resolver stands after the names']
    : readIssues(checked.error).map(({ reason }) => reason);
}

function refused(errors: readonly string[]): Result<never> {
  const left = errors.length - mostErrors;
  const told = [...errors.slice(0, mostErrors), ...(left > 0 ? [`and ${left} more`] : [])];
  return fail(
    'bad-rules',
    told.join('\n'),
    'correct the lines named; nothing was taken over',
    'text',
  );
}
