import type { Command } from 'commander';
import type { ResultOf } from '../../contract/service-api.ts';
import { ruleText } from '../../contract/settings/bypass-rule.ts';
import { conditionText } from '../../contract/settings/condition.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { CommandLine, CommonOptions } from '../command-line.ts';
import { defineCall, teach } from '../define-command.ts';
import { renderRules, sayNames } from '../render/rules.ts';
import { readDomainName, readRuleWord } from '../terminal/read-name.ts';
import { aboutLearning, defineAnswers } from './rule-answers.ts';
import {
  aboutConditions,
  type ConditionOptions,
  conditionOptions,
  readAccount,
  readCondition,
} from './rule-condition.ts';
import { defineExchange } from './rule-exchange.ts';

interface AddOptions extends CommonOptions, ConditionOptions {
  downgrade?: true;
}

interface ExplainOptions extends CommonOptions {
  user?: string;
  unit?: string;
}

const aboutRules = `A rule sends names to the plain resolvers given, in cleartext: for zones that exist only inside a network. Names are a domain with
everything below it, "=www.corp.example" for that name alone, "*" for single labels, "10.0.0.0/8" for the reverse names of these
addresses; the most specific rule wins. Resolvers are addresses, "network" for those of the network you are on, "link:tun0" for
those of a link. A public suffix such as "com" or "co.uk", or the root, is a downgrade: it needs --downgrade, and is counted as one.`;

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    name: 'list',
    description: 'The bypass rules in force, whose they are, and what links claim.',
    examples: '  sotto rule list\n  sotto rule list --json | jq -r .rules[].suffix',
    more: `${aboutRules}\n\n${aboutLearning}`,
    method: 'rule.list',
    say: (found) => [...renderRules(found), ...sayLock(found)],
  });

  defineCall(command, line, {
    name: 'explain',
    arguments: [
      ['<name>', 'the name to ask about'],
      ['[type]', 'A, AAAA, HTTPS, TXT … or TYPE65280', 'A'],
    ],
    description: 'What would happen to a query now, and why. Nothing is asked.',
    options: [
      ['--user <account>', 'if a program of this account asked, by name or number'],
      ['--unit <unit>', 'if it ran in this unit of the system'],
    ],
    examples: `  sotto rule explain db.corp.example
  sotto rule explain db.corp.example --user backup --unit backup.service
  sotto rule explain printer.local AAAA
  sotto rule explain example.com --json | jq -r .servers[0]`,
    more: `The engine's own policy answers, the one that would decide the query itself. Without --user and --unit the program is one that is not
known, which gets whatever is stricter.`,
    method: 'rule.explain',
    params: ([name, type]: [string, string], { user, unit }: ExplainOptions) => ({
      name: readDomainName(name),
      type: type.toUpperCase(),
      ...(user !== undefined && { user: readAccount(user) }),
      ...(unit !== undefined && { unit }),
    }),
    say: ({ sentence }) => safe(sentence),
  });

  defineCall(command, line, {
    name: 'add',
    arguments: [
      ['<names>', 'corp.example with everything below, =name alone, "*", or 10.0.0.0/8'],
      ['<resolver...>', 'IP addresses with optional ports, "network" or "link:NAME"'],
    ],
    description: 'Send names to resolvers of their own; a rule that is there is replaced.',
    options: [
      ['--downgrade', 'I mean it: the rule is for more than names of one network'],
      ...conditionOptions,
    ],
    examples: `  sotto rule add corp.example 192.0.2.53 192.0.2.54
  sotto rule add lab.example [2001:db8::53]:5353
  sotto rule add =intranet.example link:tun0
  sotto rule add 10.0.0.0/8 network
  sotto rule add db.example 192.0.2.53 --unit backup.service --hours 22:00-06:00`,
    more: `${aboutRules}\n\n${aboutConditions}`,
    method: 'rule.add',
    params: ([names, to]: [string, string[]], { downgrade, ...options }: AddOptions) => ({
      suffix: readRuleWord(names),
      to,
      ...(downgrade && { downgrade }),
      ...whenOf(options),
    }),
    say: ({ rule }, [names, to]) =>
      safe(
        `${sayNames(readRuleWord(names))} in cleartext to ${to.join(', ')}${rule.when === undefined ? '' : `, when ${conditionText(rule.when)}`}.`,
      ),
  });

  defineCall(command, line, {
    name: 'remove',
    arguments: [['<names>', 'as they stand in the rule']],
    description: 'Remove a rule: its names are asked like all others.',
    options: conditionOptions,
    examples: `  sotto rule remove corp.example
  sotto rule remove db.example --unit backup.service --hours 22:00-06:00`,
    more: 'Of several rules for the same names, the options say which: that with this condition.',
    method: 'rule.remove',
    params: ([names]: [string], options: CommonOptions & ConditionOptions) => ({
      suffix: readRuleWord(names),
      ...whenOf(options),
    }),
    say: ({ rule }) => safe(`The rule for ${ruleText(rule)} is removed.`),
  });

  defineAnswers(command, line);
  defineExchange(command, line);
  teach(
    command,
    `  sotto rule explain db.corp.example        what would happen to it?
  sotto rule add corp.example 192.0.2.53    send its names there
  sotto rule list`,
    aboutRules,
  );
}

function whenOf(options: ConditionOptions) {
  const when = readCondition(options);
  return when === undefined ? {} : { when };
}

function sayLock({ locked, lockedBy, reason }: ResultOf<'rule.list'>): string[] {
  return locked ? [safe(`Locked by ${lockedBy}${reason === null ? '' : `: ${reason}`}.`)] : [];
}
