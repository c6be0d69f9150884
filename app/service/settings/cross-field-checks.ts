/**
 * What no field can know alone: loops, duplicates, rules that open more than they say; and what pages need not load: keys that hide
 * nothing. Files are read elsewhere.
 */

import { isResolverAddress } from '../../contract/dns/resolver-address.ts';
import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { type BypassRule, ruleText } from '../../contract/settings/bypass-rule.ts';
import { readRuleTarget } from '../../contract/settings/rule-words.ts';
import type { FlatSettings } from '../../contract/settings/settings.ts';
import { defaultPort, hasTls, upstreamNamed } from '../../contract/settings/upstream-settings.ts';
import { once } from '../base/once.ts';
import { list } from '../base/one-or-many.ts';
import { reaches, withPort } from '../network/ip-address.ts';
import { wideRules } from '../rules/rule-lists.ts';
import { normalWord } from '../rules/rule-names.ts';
import type { Check, CrossFieldProblem } from './cross-field-problem.ts';
import { normalSuffix } from './domain-suffix.ts';
import { groupChecks } from './group-checks.ts';
import { isOfLowOrder, lowOrderProblem } from './low-order-key.ts';

export function crossFieldProblems(settings: FlatSettings): CrossFieldProblem[] {
  return checks.flatMap((check) => check(settings));
}

const checks: Check[] = [
  duplicateListen,
  duplicateUpstreams,
  ({ bypass }) => suffixProblems(bypass),
  tooWidePrivate,
  upstreamLoops,
  firstHops,
  bareBoxes,
  lowOrderKeys,
  bypassLoops,
  systemResolverLoops,
  ...groupChecks,
];

function duplicateListen({ listen }: FlatSettings): CrossFieldProblem[] {
  return duplicates(
    listen.map((address) => (address.endsWith(':0') ? null : withPort(address, 53))),
    (index, address) => ({
      key: 'listen',
      within: [index],
      reason: `${address} is there twice; remove one`,
    }),
  );
}

function duplicateUpstreams({ upstreams }: FlatSettings): CrossFieldProblem[] {
  return duplicates(
    upstreams.map(({ id }) => id),
    (index, id) => ({
      key: 'upstreams',
      within: [index, 'id'],
      reason: `another upstream has the id "${id}" already; ids must differ`,
    }),
  );
}

/** The same rules are looked at again and again, beside other settings. */
const suffixProblems = once((bypass: readonly BypassRule[]) => [
  ...duplicateSuffixes(bypass),
  ...tooWideSuffixes(bypass),
]);

function duplicateSuffixes(bypass: readonly BypassRule[]): CrossFieldProblem[] {
  return duplicates(
    bypass.map(({ suffix, when }) => ruleText({ suffix: normalWord(suffix), when })),
    (index, rule) => ({
      key: 'bypass',
      within: [index, 'suffix'],
      reason: `another rule is for "${rule}" already; put all resolvers into one "to", or give one of the rules another "when"`,
    }),
  );
}

function tooWideSuffixes(bypass: readonly BypassRule[]): CrossFieldProblem[] {
  return [...wideRules(bypass)].flatMap(([index, wide]) => {
    const { suffix = '', downgrade = false } = bypass[index] ?? {};
    if (downgrade) return [];
    const reason = `"${suffix}" is ${wide}: sending everything under it in cleartext is a downgrade, not a bypass; name the internal zones one by one, or say that you mean it with "downgrade": true`;
    return [{ key: 'bypass', within: [index, 'suffix'], reason }];
  });
}

function tooWidePrivate({ allowPrivate }: FlatSettings): CrossFieldProblem[] {
  return allowPrivate.flatMap((suffix, index) =>
    normalSuffix(suffix) === ''
      ? [
          {
            key: 'allowPrivate',
            within: [index],
            reason: 'the root would let every web page point into your network; name the zones',
          },
        ]
      : [],
  );
}

function upstreamLoops({ upstreams, listen }: FlatSettings): CrossFieldProblem[] {
  return upstreams.flatMap(({ address, transport, alternative, proxy }, index) =>
    // what a proxy reaches there is not this machine
    list(proxy === undefined ? address : [])
      .filter(isResolverAddress)
      .flatMap((one, position) => [
        ...loop(one, defaultPort(transport), listen, {
          key: 'upstreams',
          within: typeof address === 'string' ? [index, 'address'] : [index, 'address', position],
        }),
        ...(typeof alternative !== 'number'
          ? []
          : loop(onPort(one, alternative), alternative, listen, {
              key: 'upstreams',
              within: [index, 'alternative'],
            })),
      ]),
  );
}

/** Boxes go through an upstream that is there, and goes through no other one itself. */
function firstHops({ upstreams }: FlatSettings): CrossFieldProblem[] {
  return upstreams.flatMap(({ address }, index) => {
    const id = upstreamNamed(list(address)[0] ?? '');
    if (id === null) return [];
    const carrier = upstreams.find((one) => one.id === id);
    if (carrier !== undefined && carrier.transport !== 'encdns') return [];
    const why =
      carrier === undefined ? 'there is no such upstream' : 'that is an EncDNS upstream, too';
    const reason = `"upstream:${id}" can not carry its boxes: ${why}`;
    return [{ key: 'upstreams', within: [index, 'address'], reason }];
  });
}

/** Boxes have no post-quantum key exchange: their carrier's TLS has it, or nothing does. */
function bareBoxes(settings: FlatSettings): CrossFieldProblem[] {
  if (settings['connections.postQuantum'] !== 'require') return [];
  const { upstreams } = settings;
  return upstreams.flatMap(({ address, transport }, index) => {
    if (transport !== 'encdns') return [];
    const id = upstreamNamed(list(address)[0] ?? '');
    const carrier = upstreams.find((one) => one.id === id);
    if (carrier === undefined ? id !== null : hasTls(carrier.transport)) return [];
    const reason =
      'EncDNS has no post-quantum key exchange, which "connections.postQuantum" requires; let an upstream over TLS carry its boxes ("address": "upstream:ID"), or choose "prefer"';
    return [{ key: 'upstreams', within: [index, 'transport'], reason }];
  });
}

function lowOrderKeys({ upstreams }: FlatSettings): CrossFieldProblem[] {
  return upstreams.flatMap(({ key }, index) =>
    key !== undefined && isOfLowOrder(key)
      ? [{ key: 'upstreams', within: [index, 'key'], reason: lowOrderProblem }]
      : [],
  );
}

const addressesOf = once((bypass: readonly BypassRule[]) =>
  [...new Set(bypass.flatMap(({ to }) => to))].filter(
    (one) => readRuleTarget(one).kind === 'address',
  ),
);

function bypassLoops({ bypass, listen }: FlatSettings): CrossFieldProblem[] {
  const place = { key: 'bypass' as const, within: [] };
  if (!addressesOf(bypass).some((one) => loop(one, 53, listen, place).length > 0)) return [];
  return bypass.flatMap(({ to }, index) =>
    to.flatMap((one, position) =>
      readRuleTarget(one).kind === 'address'
        ? loop(one, 53, listen, { key: 'bypass', within: [index, 'to', position] })
        : [],
    ),
  );
}

function systemResolverLoops({ systemResolvers, listen }: FlatSettings): CrossFieldProblem[] {
  if (systemResolvers === 'auto') return [];
  return systemResolvers.flatMap((one, position) =>
    loop(one, 53, listen, { key: 'systemResolvers', within: [position] }),
  );
}

function loop(
  address: string,
  port: number,
  listen: readonly string[],
  place: Pick<CrossFieldProblem, 'key' | 'within'>,
): CrossFieldProblem[] {
  const target = withPort(address, port);
  const met = listen.find((own) => reaches(target, withPort(own, 53)));
  if (met === undefined) return [];
  return [
    {
      ...place,
      otherEnd: 'listen',
      reason: `${address} is Sotto itself (it listens on ${met}): queries would go round in circles`,
    },
  ];
}

function onPort(address: string, port: number): string {
  return formatSocketAddress(parseSocketAddress(address)?.ip ?? address, port);
}

function duplicates(
  values: readonly (string | null)[],
  problem: (index: number, value: string) => CrossFieldProblem,
): CrossFieldProblem[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (value === null) return [];
    if (seen.has(value)) return [problem(index, value)];
    seen.add(value);
    return [];
  });
}
