/**
 * Whether a login in a browser may have the one site that the portal answers with. Whoever answers for a name gets what
 * browsers keep for it, and for what belongs to it; so it may be no name of the person's own: none in a rule, and none whose
 * domain was ever answered before.
 */
import type { LogFilter } from '../../contract/log-filter.ts';
import { readRuleNames } from '../../contract/rule-words.ts';
import type { Settings } from '../../contract/settings-shape.ts';
import { publicSuffixList } from '../public-suffix-list.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';

/** The rule that speaks of the name, above or below it; null: none does. */
export function ruleAbout(site: string, settings: Settings): string | null {
  const { bypass, groups, allowPrivate, forwardSpecial } = settings;
  const suffixes = [
    ...bypass.flatMap(({ suffix }) => namesOf(suffix)),
    ...Object.values(groups).flatMap(({ names = [] }) => names),
    ...allowPrivate,
    ...forwardSpecial,
  ].map(normalSuffix);
  const touches = (suffix: string) => isWithin(site, suffix) || isWithin(suffix, site);
  return suffixes.find((suffix) => suffix !== '' && touches(suffix)) ?? null;
}

/** Reverse names and single labels are nobody's login. */
function namesOf(word: string): string[] {
  const names = readRuleNames(word);
  return names?.kind === 'below' || names?.kind === 'alone' ? [names.name] : [];
}

/** The person's own visits: names of the same registrable domain that were answered by anybody but a portal. */
export function visitsTo(site: string): LogFilter {
  const domain = domainOf(site);
  const plain = { negated: false } as const;
  return [
    { ...plain, field: 'name', values: [value(domain), value(`*.${domain}`)] },
    {
      ...plain,
      field: 'outcome',
      values: (['forwarded', 'cached', 'stale', 'bypassed'] as const).map(value),
    },
  ];
}

/** A name that has no owner, or that no list knows, stands for itself. */
function domainOf(site: string): string {
  return publicSuffixList().getDomain(site, { allowPrivateDomains: true }) ?? site;
}

function isWithin(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

const value = (text: string) => ({ text, regex: false });
