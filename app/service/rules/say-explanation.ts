/** What would happen to a name, in one sentence. Pure. */
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import type { Explanation } from '../../contract/settings/rule-methods.ts';

type Facts = Omit<Explanation, 'sentence'>;

/** `refusalOf`: the condition at this position of "refuseFor", in words. */
export function sayExplanation(
  facts: Facts,
  labelOf: (upstream: string) => string,
  refusalOf: (position: string) => string,
): string {
  const conditions = facts.conditions.flatMap((one) => sayCondition(one, refusalOf) ?? []);
  return [sayDestination(facts, labelOf), ...conditions].join(' ');
}

type Judged = Facts['conditions'][number];

/** Null: the rest says it, or it changes nothing. */
const conditionSentences: Readonly<
  Record<Judged['of'], Record<Judged['fit'], ((name: string) => string) | null>>
> = {
  rule: {
    yes: null,
    no: (rule) => `The bypass rule for ${rule} does not count, because its condition does not fit.`,
    unknown: (rule) =>
      `The bypass rule for ${rule} does not count, because it is not known whether its condition fits.`,
  },
  group: {
    yes: (group) => `The group ${group} takes the name, because its condition fits.`,
    no: (group) => `The group ${group} does not take the name, because its condition does not fit.`,
    unknown: (group) =>
      `It is not known whether the condition of the group ${group} fits, so the stricter policy counts.`,
  },
  'refuse-for': {
    yes: (refusal) => `No downgrade lets this query out, because "refuseFor" (${refusal}) fits.`,
    no: null,
    unknown: (refusal) =>
      `It is not known whether "refuseFor" (${refusal}) fits, so no downgrade lets this query out.`,
  },
};

function sayCondition(
  { of, name, fit }: Judged,
  refusalOf: (position: string) => string,
): string | null {
  const sentence = conditionSentences[of][fit];
  return sentence === null ? null : sentence(of === 'refuse-for' ? refusalOf(name) : name);
}

function sayDestination(facts: Facts, labelOf: (upstream: string) => string): string {
  switch (facts.verdict) {
    case 'local':
      return sayLocal(facts);
    case 'bypass':
      return sayBypass(facts);
    case 'direct':
      return sayDirect(facts);
    case 'portal':
      return `${facts.name} ${facts.type} goes in cleartext to the network's resolver ${facts.servers[0] ?? ''}: somebody allowed it for a login.`;
    case 'forward':
      return sayForward(facts, labelOf);
  }
}

function sayLocal({ name, type, rule, reason, rcode }: Facts): string {
  const why = reason === '' ? '' : `: ${reason}`;
  return `${name} ${type} is answered on this machine (${rcode}), by the rule for ${rule}${why}.`;
}

function sayBypass({ name, type, rule, origin, reason, servers, clear }: Facts): string {
  if (reason !== '')
    return `${name} ${type} is refused, by the bypass rule for ${rule}: ${reason}.`;
  if (servers.length === 0)
    return `${name} ${type} falls under the bypass rule for ${rule}, whose resolvers all lead back to Sotto: it is refused.`;
  if (clear === 'none')
    return `${name} ${type} falls under the bypass rule for ${rule}, for which no permission is open: it is refused.`;
  return `${name} ${type} goes in cleartext to ${servers.join(', then ')}, by ${sayOrigin(origin)} for ${rule}.`;
}

function sayOrigin(origin: Facts['origin']): string {
  switch (origin?.from) {
    case 'link':
      return `the rule that link ${origin.link} brought (${origin.by === 'resolved' ? 'systemd-resolved' : 'NetworkManager'})`;
    case 'standard':
      return `the rule of ${origin.text}`;
    default:
      return 'the bypass rule';
  }
}

function sayDirect({ name, type, servers, clear }: Facts): string {
  const state = clear === 'off' ? 'off' : 'paused';
  if (servers.length === 0 || clear === 'none')
    return `${name} ${type} is refused: Sotto is off or paused, and no resolver of the system may be asked.`;
  return `${name} ${type} goes in cleartext to the system's resolver ${servers[0]}, because Sotto is ${state}.`;
}

function sayForward(
  { name, type, group, servers, cached, clear, privateOnly }: Facts,
  labelOf: (id: string) => string,
): string {
  const query = `${name} ${type}`;
  const of = group === null || group.id === '' ? '' : ` of the group ${group.id}`;
  if (cached !== null) return `${query} ${sayKept[cached]}`;
  const [first] = servers;
  if (first === undefined) return `${query} is refused: there is no upstream${of} to ask.`;
  if (clear === 'policy')
    return `${query} goes in cleartext: no private path to ${labelOf(first)}${of} works, and the policy allows it.`;
  const policy = privateOnly ? 'refuse' : (group?.policy ?? null);
  const without = policy === null ? '' : ` ${sayWithout[policy]}`;
  return `${query} goes privately to ${labelOf(first)}${of}.${without}`;
}

const sayKept: Readonly<Record<NonNullable<Facts['cached']>, string>> = {
  fresh: 'is answered from the cache.',
  denied: 'is answered from the cache: a name above it does not exist.',
  expired: 'is answered from the cache with an expired answer, and asked for anew behind it.',
  failed: 'failed a moment ago; it is asked again soon.',
};

const sayWithout: Readonly<Record<DowngradePolicy, string>> = {
  refuse: 'Without a private path it is refused.',
  warn: 'Without a private path you are asked.',
  fallback: 'Without a private path it leaves in cleartext.',
};
