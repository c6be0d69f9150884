/**
 * Bypass rules as text, to be kept, given to others and brought back: JSON as in settings.json, or a line each.
 *
 *     # what stands after a hash at the beginning of a word is for people
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
import { type BypassRule, bypassRule, ruleText } from '../../contract/settings/bypass-rule.ts';
import { readIssues, writePath } from '../../contract/settings/validation-issues.ts';
import { parseSettingsText } from '../settings/settings-text.ts';
import { conditionWords, isConditionWord, readConditionWords } from './condition-words.ts';
import { normalWord } from './rule-names.ts';

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
  const cut = content.indexOf('\ufffd');
  if (cut !== -1)
    return refused([
      `line ${content.slice(0, cut).split('\n').length}: it holds characters that could not be read; save the file as UTF-8`,
    ]);
  return content.trimStart().startsWith('{') ? readJson(content) : readLines(content);
}

function readJson(text: string): Result<BypassRule[]> {
  const { value, problems } = parseSettingsText('', text);
  if (problems.length > 0)
    return refused([
      'it begins as JSON, and is none that can be taken as it is',
      ...problems.map(({ line, path, reason }) =>
        [`line ${line ?? 1}:`, path, reason].filter((part) => part !== '').join(' '),
      ),
    ]);
  const checked = rulesFile.safeParse(value);
  if (checked.success)
    return together(
      checked.data.bypass.map((rule, index) => ({ rule, place: `bypass[${index}]` })),
    );
  return refused(
    readIssues(checked.error).map(({ path, reason }) => `${writePath(path)}: ${reason}`),
  );
}

function readLines(text: string): Result<BypassRule[]> {
  const rules: Placed[] = [];
  const errors: string[] = [];
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const [suffix = '', ...words] = line
      .replace(/(^|\s)#.*$/s, '')
      .trim()
      .split(/\s+/);
    if (suffix === '') continue;
    const read = readRule(suffix, words);
    if (Array.isArray(read)) errors.push(...read.map((reason) => `line ${index + 1}: ${reason}`));
    else rules.push({ rule: read, place: `line ${index + 1}` });
  }
  return errors.length > 0 ? refused(errors) : together(rules);
}

interface Placed {
  rule: BypassRule;
  place: string;
}

/** Of two for the same names and condition only one could hold, and the other would be lost. */
function together(rules: readonly Placed[]): Result<BypassRule[]> {
  const places = new Map<string, string>();
  const errors = rules.flatMap(({ rule, place }) => {
    const names = ruleText({ ...rule, suffix: normalWord(rule.suffix) });
    const before = places.get(names);
    if (before === undefined) places.set(names, place);
    return before === undefined
      ? []
      : [`${place}: ${names} has a rule already, in ${before}; write all its resolvers there`];
  });
  return errors.length > 0 ? refused(errors) : succeed(rules.map(({ rule }) => rule));
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
