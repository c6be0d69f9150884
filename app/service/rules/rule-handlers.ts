/** The contract's methods `rule.*`. */

import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Role, ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { conditionText } from '../../contract/settings/condition.ts';
import type { Explanation, NameClaim, RuleOrigin } from '../../contract/settings/rule-methods.ts';
import type { SettingChange } from '../../contract/settings/settings-methods.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import type { NumberOf } from '../conditions/condition-here.ts';
import type { Explanation as EngineExplanation } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { SettingsEditor } from '../settings/settings-editor.ts';
import { compareRules, mergeRules, putRule, removeRule, replaceRule } from './rule-list.ts';
import { isAmong } from './rule-names.ts';
import { readRules, writeRules } from './rule-text.ts';
import type { RulesNow } from './rules-now.ts';
import { sayExplanation } from './say-explanation.ts';

type RuleHandlers = Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `rule.${string}`>>;

interface RuleParts {
  engine: EngineDriver;
  editor: SettingsEditor;
  inForce(): EffectiveSettings;
  groups(): ServiceStatus['groups'];
  labelOf(upstream: string): string;
  rules: RulesNow;
  numberOf: NumberOf;
  settle(): Promise<void>;
  whoIs(session: ServiceSession): string;
  /** why not; null: this person may answer so */
  refuseAnswer(
    answer: { believe: boolean; state: NameClaim['state'] },
    session: ServiceSession,
  ): Result<never> | null;
}

const ofSettings: RuleOrigin = { from: 'settings' };

export function createRuleHandlers(parts: RuleParts): RuleHandlers {
  const { engine, editor, inForce, groups, labelOf, rules } = parts;

  /** Starts from the user's own rules where there are some, else from those in force that a policy recommends. */
  function edit(
    role: Role,
    change: (rules: readonly BypassRule[]) => Result<BypassRule[]>,
  ): Promise<Result<SettingChange>> {
    return editor.edit({ key: 'bypass', role, value: ({ bypass }) => change(bypass) });
  }

  function numberOfUser(user: string | number): Result<number | null> {
    const number = typeof user === 'number' ? user : parts.numberOf(user);
    return number === null ? unknownAccount(user) : succeed(number);
  }

  /** What the engine says, and what only the control plane knows. */
  function factsOf({ group: id, ...said }: EngineExplanation): Omit<Explanation, 'sentence'> {
    const { rules: here, resting } = rules.under(inForce());
    const kept = resting.filter(({ names }) => isAmong(said.name, names));
    // Rules in lists have no word of their own here, and are all of the settings.
    const origin = here.find(({ rule }) => rule === said.rule)?.origin ?? ofSettings;
    const policy = groups().find((group) => group.id === id)?.policy ?? null;
    return {
      ...said,
      conditions: [
        ...said.conditions,
        ...kept.map(({ rule, fit }) => ({ of: 'rule' as const, name: rule, fit })),
      ],
      group: id === null ? null : { id, policy },
      origin: said.verdict === 'bypass' ? origin : null,
    };
  }

  return {
    'rule.list': () => {
      const { values, sources } = inForce();
      const { locked, lockedBy, reason } = sources.bypass;
      const { rules: here, resting, claims } = rules.under(inForce());
      return succeed({
        rules: values.bypass,
        resting: resting.map(({ rule, fit }) => ({ rule, fit })),
        inForce: here.flatMap(({ rule, list, to, class: of, origin }) =>
          (list === null ? [rule] : list.words.split('\n')).map((word) => ({
            ...{ rule: word, to, class: of, origin },
          })),
        ),
        claims,
        locked,
        lockedBy,
        reason,
      });
    },

    'rule.explain': ({ name, type = 'A', user, unit = null }) => {
      const number = user === undefined ? succeed(null) : numberOfUser(user);
      if (!number.ok) return number;
      const explained = engine.explain(name, type, { user: number.value, unit });
      if (!explained.ok) return explained;
      const facts = factsOf(explained.value);
      const { refuseFor } = rules.under(inForce());
      const refusalOf = (position: string) => conditionText(refuseFor[Number(position)] ?? {});
      return succeed({ ...facts, sentence: sayExplanation(facts, labelOf, refusalOf) });
    },

    'rule.add': async ({ replaces, ...rule }, { role }) => {
      const change = await edit(role, (rules) =>
        replaces === undefined ? succeed(putRule(rules, rule)) : replaceRule(rules, replaces, rule),
      );
      return change.ok ? succeed({ rule, change: change.value }) : change;
    },

    'rule.remove': async ({ suffix, when }, { role }) => {
      let rule: BypassRule = { suffix, to: [] };
      const change = await edit(role, (rules) => {
        const removed = removeRule(rules, suffix, when);
        if (!removed.ok) return removed;
        rule = removed.value.rule;
        return succeed(removed.value.rules);
      });
      return change.ok ? succeed({ rule, change: change.value }) : change;
    },

    'rule.answer': async ({ suffix, link, believe }, session) => {
      const find = () =>
        rules
          .under(inForce())
          .claims.find((claim) => claim.link === link && claim.suffix === normalSuffix(suffix));
      const claim = find();
      if (claim === undefined) return unknownClaim(suffix, link);
      const refused = parts.refuseAnswer({ believe, state: claim.state }, session);
      if (refused !== null) return refused;
      const answered = rules.answer(claim, believe, parts.whoIs(session));
      if (!answered.ok) return answered;
      await parts.settle();
      return succeed(find() ?? claim);
    },

    'rule.export': ({ format }) => {
      const { bypass } = inForce().values;
      return succeed({ text: writeRules(bypass, format), rules: bypass.length });
    },

    'rule.import': async ({ text, mode, dryRun }, { role }) => {
      const given = readRules(text);
      if (!given.ok) return given;
      const before = inForce().values.bypass;
      const changes = compareRules(before, mergeRules(before, given.value, mode));
      const { added, changed, removed } = changes;
      if (dryRun || added.length + changed.length + removed.length === 0)
        return succeed({ ...changes, change: null });
      const change = await edit(role, (rules) => succeed(mergeRules(rules, given.value, mode)));
      return change.ok ? succeed({ ...changes, change: change.value }) : change;
    },
  };
}

function unknownAccount(account: string | number): Result<never> {
  return fail(
    'bad-query',
    `there is no account ${JSON.stringify(account)} on this computer, or its directory has not responded yet`,
    'give the number of the user, or try again in a moment',
    'user',
  );
}

function unknownClaim(suffix: string, link: string): Result<never> {
  return fail(
    'unknown-claim',
    `the link ${JSON.stringify(link)} does not say that ${JSON.stringify(suffix)} is its own`,
    'see: sotto rule list',
    'suffix',
  );
}
