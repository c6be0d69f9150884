/**
 * Whether a login in a browser may have the one site that the portal answers with. The network that answers for a name receives
 * the cookies that browsers keep for it and for its subdomains. So it may be no name of the person's own: none in a rule, of
 * the settings or learned, and none whose domain was ever answered before.
 */
import type { LogFilter } from '../../contract/query-log/log-filter.ts';
import type { RuleInForce } from '../../contract/settings/rule-methods.ts';
import { readRuleNames } from '../../contract/settings/rule-words.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import { publicSuffixList } from '../base/public-suffix-list.ts';
import type { RulesHere } from '../rules/rules-here.ts';
import { normalSuffix } from '../settings/domain-suffix.ts';

interface Known {
  /** names that are the person's own */
  own: readonly OwnName[];
  settings: Pick<Settings, 'queryLog'>;
  /** what would happen to a query for it; null: that is unknown */
  explain(site: string): { verdict: string; rule: string } | null;
  /** Whether the query log holds one. Rejects where it can't be read. */
  hasOne(visits: LogFilter): Promise<boolean>;
}

/** Why the network may not answer for the site; null: no objection. Missing knowledge is an objection. */
export async function whyNotSite(
  site: string,
  { own, settings, explain, hasOne }: Known,
): Promise<string | null> {
  const whose = whoseName(site, own);
  if (whose !== null) return `${site} falls under ${whose}`;
  const said = explain(site);
  if (said === null) return `${site} is no name that could be asked for`;
  if (said.verdict === 'local') return `${said.rule} is answered on this machine`;
  if (!['full', 'domain'].includes(settings.queryLog.mode))
    return 'your query log keeps no names, so nobody knows whether the name is your own';
  try {
    return (await hasOne(visitsTo(site))) ? 'names of its domain are in your query log' : null;
  } catch {
    return 'your query log can’t be read, so nobody knows whether the name is your own';
  }
}

/** A name that is the person's own, or of a network of theirs, and what makes it so. */
interface OwnName {
  /** normal: lower case, no final dot */
  suffix: string;
  /** "your rule for corp.example" */
  by: string;
}

/** What makes the site, a name above it, or one below it the person's own; null: nothing does. */
export function whoseName(site: string, own: readonly OwnName[]): string | null {
  const touches = ({ suffix }: OwnName) => isWithin(site, suffix) || isWithin(suffix, site);
  return own.find((one) => one.suffix !== '' && touches(one))?.by ?? null;
}

export function namesOfSettings(settings: Settings): OwnName[] {
  const { bypass, groups, allowPrivate, forwardSpecial } = settings;
  const suffixes = [
    ...bypass.flatMap(({ suffix }) => namesOf(suffix)),
    ...Object.values(groups).flatMap(({ names = [] }) => names),
    ...allowPrivate,
    ...forwardSpecial,
  ].map(normalSuffix);
  return suffixes.map((suffix) => ({ suffix, by: `your rule for ${suffix}` }));
}

/**
 * Rules learned from links, the claims of other links than the portal's, and the claims that the person has answered on any
 * network. A claim of the portal's own link to the portal's name is no objection.
 */
export function namesLearned(
  { rules, claims }: Pick<RulesHere, 'claims'> & { rules: readonly RuleInForce[] },
  answered: readonly string[],
  portalLink: string,
): OwnName[] {
  const learned = rules.flatMap(({ rule, origin }) =>
    origin.from === 'link'
      ? [{ suffix: rule, by: `the rule for ${rule} that link ${origin.link} brought` }]
      : [],
  );
  const claimed = claims
    .filter(
      ({ link, state }) => link !== portalLink && state !== 'too-wide' && state !== 'answered-here',
    )
    .map(({ suffix, link }) => ({ suffix, by: `${suffix}, which link ${link} says is its own` }));
  const remembered = answered.map((suffix) => ({
    suffix,
    by: `${suffix}, which you decided about when a network claimed it`,
  }));
  return [...learned, ...claimed, ...remembered];
}

/** Reverse names and single labels are never the site of a login. */
function namesOf(word: string): string[] {
  const names = readRuleNames(word);
  return names?.kind === 'below' || names?.kind === 'alone' ? [names.name] : [];
}

/** The person's own visits: names of the same registrable domain that a resolver other than a portal answered. */
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

/** A name without an owner in the list stands for itself. */
function domainOf(site: string): string {
  return publicSuffixList().getDomain(site, { allowPrivateDomains: true }) ?? site;
}

function isWithin(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

const value = (text: string) => ({ text, regex: false });
