/** A configuration profile for Apple's systems, with payloads com.apple.dnsSettings.managed. */
import { build } from 'plist';
import { readRuleNames, readRuleTarget } from '../../../../contract/settings/rule-words.ts';
import { left } from '../finding.ts';
import { headOf } from './comment.ts';
import { type ExportSource, stableUuid } from './export-source.ts';
import type { HttpsAddress } from './https-address.ts';
import type { Plan, Program, Reached } from './plan.ts';

export const apple: Program = {
  name: "Apple's DNS payload",
  ports: false,
  pins: false,
  certificatePins: false,
  byAddress: false,
  authorities: false,
  groups: true,
  opportunistic: true,
  says: ['bypass'],
};

const place = 'Sign it, and hand it out by device management or as a file.';

export function writeApple(source: ExportSource, plan: Plan, https: HttpsAddress | null): string {
  const isLocked = source.stated.some(
    ({ key, locked }) => locked && (key === 'upstreams' || key === 'downgrade'),
  );
  const zones = bypassed(source, plan);
  const payloads = ['', ...Object.keys(plan.groups)].flatMap((group) => {
    const server = onlyFirst(plan, group);
    return server === undefined
      ? []
      : [payloadOf(source, plan, { server, group, isLocked, zones, https })];
  });
  plan.findings.push(
    left('AllowFailover', 'iOS and macOS before version 26 do not know it'),
    ...(isLocked ? [left('ProhibitDisablement', 'it holds on supervised devices alone')] : []),
  );
  const profile = {
    PayloadContent: payloads,
    PayloadDisplayName: source.name,
    PayloadOrganization: source.issuer,
    PayloadIdentifier: `sotto.${source.id}`,
    PayloadUUID: upperUuid(source.id, 'profile'),
    PayloadType: 'Configuration',
    // DNS settings are the whole machine's; without it macOS installs them for one account.
    PayloadScope: 'System',
    PayloadVersion: 1,
    PayloadRemovalDisallowed: isLocked,
  };
  const head = headOf(source, place, plan.findings).map((line) => line.replace(/-(?=-)/g, '- '));
  return build(profile).replace(/<plist /, () => `<!--\n${head.join('\n')}\n-->\n<plist `);
}

interface Wanted {
  server: Reached;
  group: string;
  isLocked: boolean;
  zones: readonly string[];
  https: HttpsAddress | null;
}

function payloadOf(
  source: ExportSource,
  plan: Plan,
  { server, group, isLocked, zones, https }: Wanted,
) {
  const reached =
    https === null
      ? { DNSProtocol: 'TLS', ServerName: server.name ?? '' }
      : { DNSProtocol: 'HTTPS', ServerURL: https.template };
  const names = plan.groups[group]?.names;
  return {
    PayloadType: 'com.apple.dnsSettings.managed',
    PayloadVersion: 1,
    PayloadIdentifier: `sotto.${source.id}.dns${group === '' ? '' : `.${group}`}`,
    PayloadUUID: upperUuid(source.id, 'dns', group),
    PayloadDisplayName: group === '' ? source.name : `${source.name}: ${group}`,
    ProhibitDisablement: isLocked,
    DNSSettings: {
      ...reached,
      ServerAddresses: server.places.map(({ ip }) => ip),
      AllowFailover: plan.opportunistic,
      ...(names === undefined ? {} : { SupplementalMatchDomains: [...names] }),
    },
    ...(names !== undefined || zones.length === 0 ? {} : { OnDemandRules: [exceptFor(zones)] }),
  };
}

/** Names of these domains go to the resolvers of the network. */
function exceptFor(zones: readonly string[]) {
  return {
    Action: 'EvaluateConnection',
    ActionParameters: [{ Domains: [...zones], DomainAction: 'NeverConnect' }],
  };
}

function onlyFirst({ upstreams, findings }: Plan, group: string): Reached | undefined {
  const [first, ...others] = upstreams.filter((one) => one.group === group);
  for (const { id } of others)
    findings.push(
      left(`upstream ${id}`, `left out: a payload has one server, and that is ${first?.id}`),
    );
  return first;
}

function bypassed({ values }: ExportSource, { findings }: Plan): string[] {
  return values.bypass.flatMap(({ suffix, to, when, downgrade }) => {
    const names = readRuleNames(suffix);
    const toNetwork = to.map(readRuleTarget).some(({ kind }) => kind === 'network');
    if (names?.kind === 'below' && toNetwork && when === undefined && downgrade === undefined) {
      if (to.length > 1)
        findings.push(left(`bypass ${suffix}`, 'it goes to the resolvers of the network alone'));
      return [names.name];
    }
    findings.push(
      left(
        `bypass ${suffix}`,
        'left out, so it goes to the upstream: only a domain for the resolvers of the network, without a condition, can be excepted',
      ),
    );
    return [];
  });
}

function upperUuid(...parts: string[]): string {
  return stableUuid(...parts).toUpperCase();
}
