/** Forward zones of unbound: unbound.conf(5). */
import { isIPv4, parseSocketAddress } from '../../../../contract/dns/socket-address.ts';
import type { BypassRule } from '../../../../contract/settings/bypass-rule.ts';
import { readRuleNames, readRuleTarget } from '../../../../contract/settings/rule-words.ts';
import { reverseZones } from '../../../rules/reverse-zones.ts';
import { left } from '../finding.ts';
import { hashed, headOf } from './comment.ts';
import type { ExportSource } from './export-source.ts';
import type { Plan, Program, Reached } from './plan.ts';
import { withAt } from './stubby.ts';

export const unbound: Program = {
  name: 'unbound',
  ports: true,
  pins: false,
  certificatePins: false,
  byAddress: false,
  authorities: true,
  groups: true,
  opportunistic: false,
  says: [
    'bypass',
    'listen',
    'strategy',
    'allowPrivate',
    'forwardSpecial',
    'cache.serveStale',
    'cache.staleHours',
  ],
};

const place =
  'Put it into /etc/unbound/unbound.conf.d/sotto.conf; the file of authorities is where Debian has it.';

/** Responses that name such addresses may lead a web page into the network (as in the engine's response policy). */
const privateAddresses = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  '::ffff:0:0/96',
  'fc00::/7',
  'fe80::/10',
];

interface Zone {
  name: string;
  servers: string[];
}

export function writeUnbound(source: ExportSource, plan: Plan): string {
  const { values } = source;
  if (values.strategy !== 'ordered' && values.strategy !== 'fastest')
    plan.findings.push(
      left('strategy', `"${values.strategy}" is left out: unbound picks by response time`),
    );
  else if (values.strategy === 'ordered' && plan.upstreams.length > 1)
    plan.findings.push(
      left('strategy', 'unbound picks among the upstreams by response time, not in their order'),
    );
  const bypassed = values.bypass.flatMap((rule) => zonesOf(rule, plan));
  const groups = groupZones(plan);
  const bypassNames = bypassed.map(({ name }) => name);
  const lines = [
    'server:',
    ...listens(source),
    `    tls-cert-bundle: "${plan.upstreams[0]?.ca ?? '/etc/ssl/certs/ca-certificates.crt'}"`,
    ...(asksLoopback(plan.upstreams, bypassed) ? ['    do-not-query-localhost: no'] : []),
    ...privateAddresses.map((prefix) => `    private-address: ${prefix}`),
    ...[...values.allowPrivate.map(absolute), ...bypassNames].map(
      (name) => `    private-domain: "${name}"`,
    ),
    ...bypassNames.map((name) => `    domain-insecure: "${name}"`),
    ...[...values.forwardSpecial.map(absolute), ...bypassNames].map(
      (name) => `    local-zone: "${name}" transparent`,
    ),
    ...(values['cache.serveStale']
      ? [
          '    serve-expired: yes',
          `    serve-expired-ttl: ${values['cache.staleHours'] * 3600}`,
          `    serve-expired-client-timeout: ${values['cache.serveStale'] === 'at-once' ? 0 : 1800}`,
        ]
      : []),
    ...[{ name: '.', servers: serversOf(plan, '') }, ...groups].flatMap((zone) =>
      forwardZone(zone, true),
    ),
    ...bypassed.flatMap((zone) => forwardZone(zone, false)),
  ];
  return `${hashed(headOf(source, place, plan.findings))}${lines.join('\n')}\n`;
}

function listens({ stated, values }: ExportSource): string[] {
  if (!stated.some(({ key }) => key === 'listen')) return [];
  return values.listen.map((one) => `    interface: ${withAt(one)}`);
}

function groupZones(plan: Plan): Zone[] {
  return Object.entries(plan.groups).flatMap(([id, { names }]) =>
    names.map((name) => ({ name: absolute(name), servers: serversOf(plan, id) })),
  );
}

function serversOf({ upstreams }: Plan, group: string): string[] {
  return upstreams
    .filter((one) => one.group === group)
    .flatMap(({ name, places }) => places.map(({ ip, port }) => `${ip}@${port}#${name}`));
}

/** Without a server the zone refuses, because nothing else may hear its names. */
function forwardZone({ name, servers }: Zone, tls: boolean): string[] {
  return [
    'forward-zone:',
    `    name: "${name}"`,
    `    forward-tls-upstream: ${tls ? 'yes' : 'no'}`,
    '    forward-first: no',
    ...servers.map((server) => `    forward-addr: ${server}`),
  ];
}

function zonesOf(rule: BypassRule, { findings }: Plan): Zone[] {
  const out = (why: string): Zone[] => {
    findings.push(left(`bypass ${rule.suffix}`, `left out: ${why}`));
    return [];
  };
  if (rule.when !== undefined) return out('unbound has no conditions');
  if (rule.downgrade === true) return out('so wide a rule is a downgrade');
  const targets = rule.to.map(readRuleTarget);
  const servers = targets.flatMap((target) =>
    target.kind === 'address' ? [plainServer(target.address)] : [],
  );
  if (servers.length < targets.length)
    findings.push(
      left(
        `bypass ${rule.suffix}`,
        'unbound does not know the resolvers of the network or of a link',
      ),
    );
  if (servers.length === 0) return out('no address is left');
  const names = readRuleNames(rule.suffix);
  if (names?.kind === 'below') return [{ name: absolute(names.name), servers }];
  if (names?.kind === 'reverse')
    return reverseZones(names.ip, names.prefixLength).map((name) => ({
      name: absolute(name),
      servers,
    }));
  return out('a forward zone always has the names below it');
}

function plainServer(address: string): string {
  const parsed = parseSocketAddress(address);
  return parsed === null ? address : `${parsed.ip}@${parsed.port ?? 53}`;
}

function absolute(name: string): string {
  return name.endsWith('.') ? name : `${name}.`;
}

function asksLoopback(upstreams: readonly Reached[], zones: readonly Zone[]): boolean {
  const isLoopback = (ip: string) => (isIPv4(ip) ? ip.startsWith('127.') : ip === '::1');
  return [
    ...upstreams.flatMap(({ places }) => places.map(({ ip }) => ip)),
    ...zones.flatMap(({ servers }) => servers.map((server) => server.split('@')[0] ?? '')),
  ].some(isLoopback);
}
