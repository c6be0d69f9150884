/** Rules and claims, for people. */

import type {
  NameClaim,
  RestingRule,
  RuleInForce,
  RuleOrigin,
} from '../../contract/settings/rule-methods.ts';
import { readRuleNames } from '../../contract/settings/rule-words.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { renderTable } from '../terminal/table.ts';

export function renderRules({
  inForce,
  resting,
  claims,
}: {
  inForce: readonly RuleInForce[];
  resting: readonly RestingRule[];
  claims: readonly NameClaim[];
}): string[] {
  const rules =
    inForce.length === 0
      ? ['There is no rule: every name goes to the upstreams.']
      : renderTable(
          [{ title: 'names' }, { title: 'resolvers' }, { title: 'from' }],
          inForce.map(({ rule, to, class: of, origin }) => [
            safe(rule),
            to.length === 0 ? 'none known now: refused' : safe(to.join(', ')),
            safe(`${sayOrigin(origin)}${of === 'policy' ? ', a downgrade' : ''}`),
          ]),
        );
  const others = claims.filter(({ state }) => state !== 'believed');
  return [
    ...rules,
    ...resting.map((rule) => safe(sayResting(rule))),
    ...others.map((claim) => safe(sayClaim(claim))),
  ];
}

function sayResting({ rule, fit }: RestingRule): string {
  const why =
    fit === 'unknown'
      ? 'it counts once an upstream has authenticated on this network.'
      : 'it is for another network or another time.';
  return `The rule for ${rule} rests: ${why}`;
}

function sayOrigin(origin: RuleOrigin): string {
  switch (origin.from) {
    case 'settings':
      return 'settings';
    case 'link':
      return `link ${origin.link}, by ${tellers[origin.by]}`;
    case 'standard':
      return origin.text;
  }
}

const tellers = { resolved: 'systemd-resolved', 'network-manager': 'NetworkManager' } as const;

export function sayClaim({ suffix, link, by, state }: NameClaim): string {
  const claim = `Link ${link} claims ${suffix === '' ? 'every name' : suffix} (by ${tellers[by]})`;
  const said: Record<NameClaim['state'], string> = {
    believed: 'its names go there, in cleartext.',
    open: `nobody has answered: sotto rule believe ${suffix}, or sotto rule disbelieve ${suffix}`,
    refused: 'it is not believed here.',
    unconfirmed: 'it was believed before; it counts once an upstream has authenticated here.',
    'too-wide': 'that is more than its own, and never learned.',
    'answered-here': 'Sotto answers these names itself.',
    overruled: 'a rule or a group of the settings, or another link, has these names.',
    ignored: 'the settings learn nothing ("learnRules").',
  };
  return `${claim}: ${said[state]}`;
}

/** "Names at and below corp.example go". */
export function sayNames(word: string): string {
  const names = readRuleNames(word);
  switch (names?.kind) {
    case 'alone':
      return `${names.name} goes`;
    case 'single-label':
      return 'Names of a single label go';
    case 'reverse':
      return `Reverse names of ${word} go`;
    default:
      return `Names at and below ${word} go`;
  }
}
