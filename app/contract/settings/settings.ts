/**
 * Every setting, declared once: key, validator, default, unit, and texts. The file's shape and its JSON Schema
 * are derived from this list (settings-shape.ts); a dotted key such as `cache.entries` is a field of an object there.
 */
import { z } from 'zod';
import { keyExchanges } from '../engine-words.ts';
import { portalProbe } from '../system/portal-probe.ts';
import { systemDnsMechanisms } from '../system/system-dns.ts';
import { bypassRule } from './bypass-rule.ts';
import { condition } from './condition.ts';
import { consent, downgradePolicy, groupSettings, rungs, strategy } from './downgrade-policy.ts';
import { dnstapSocket, metricsCollector, metricsListen, nowhere } from './fleet-settings.ts';
import { listenAddresses } from './listen-address.ts';
import {
  askedSuffixes,
  comparedName,
  mostOfUpstream,
  serverAddress,
  upstreamSettings,
} from './upstream-settings.ts';

/** The groups of settings on a page, in this order. */
export const settingGroups = [
  'listening',
  'upstreams',
  'privacy',
  'rules',
  'cache',
  'connections',
  'portals',
  'queries',
  'metrics',
] as const;
export type SettingGroup = (typeof settingGroups)[number];

export interface SettingDeclaration<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  default: z.output<Schema>;
  group: SettingGroup;
  unit: string | null;
  label: string;
  help: string;
}

export const settingDeclarations = {
  listen: declare({
    schema: listenAddresses,
    default: ['127.0.0.1:5300', '[::1]:5300'],
    group: 'listening',
    unit: null,
    label: 'Listen on',
    help: 'Addresses and ports where programs on this machine ask; UDP and TCP on each.',
  }),
  upstreams: declare({
    schema: upstreamSettings,
    /** Empty means the catalogue's first resolver; the service fills it in. */
    default: [],
    group: 'upstreams',
    unit: null,
    label: 'Upstreams',
    help: 'Resolvers in order of preference; the first one that can be reached privately answers. Empty: the first of the catalogue.',
  }),
  'crossCheck.names': declare({
    schema: z.array(comparedName).max(50),
    default: [],
    group: 'upstreams',
    unit: null,
    label: 'Compare what upstreams say of',
    help: 'Every upstream of their group is asked for these names, about once an hour and on each network, and contradictions are reported. It costs privacy: all of them learn these names, and that this machine asks for them while nobody uses it. So name only what you would tell each of them.',
  }),
  strategy: declare({
    schema: strategy,
    default: 'ordered',
    group: 'upstreams',
    unit: null,
    label: 'Choice among upstreams',
    help: 'ordered: the first that works. fastest: whichever answers soonest lately. race: several at once. spread: each domain sticks to one upstream, so that no one sees everything.',
  }),
  downgrade: declare({
    schema: downgradePolicy,
    default: 'refuse',
    group: 'privacy',
    unit: null,
    label: 'Without a private path',
    help: 'refuse: no private path, no answer; programs get an error that says why. warn: the same, and you are asked once per network ("sotto consent"). fallback: queries leave in cleartext, down the rungs allowed, until a private path works again. Whatever leaves in cleartext is counted in the ledger.',
  }),
  rungs: declare({
    schema: rungs,
    default: ['tcp', 'udp'],
    group: 'privacy',
    unit: null,
    label: 'Rungs below private',
    help: "What warn and fallback may use, tried in this order: unauthenticated (TLS to whoever answers), tcp and udp (in cleartext, to the upstream's own addresses), network (the network's own resolvers, which tells its operator).",
  }),
  consent: declare({
    schema: consent,
    default: 'anyone',
    group: 'privacy',
    unit: null,
    label: 'Who may allow cleartext queries',
    help: 'Under warn. anyone: whoever may control Sotto. administrator: only whoever may administer it.',
  }),
  pause: declare({
    schema: z.enum(['allowed', 'code']),
    default: 'allowed',
    group: 'privacy',
    unit: null,
    label: 'Pausing',
    help: 'allowed: whoever may control Sotto pauses it and switches it off. code: nobody switches it off, and each pause needs a code from the help desk of your organisation, which is good for one pause on this machine ("sotto pause-code --help"). Lock it, and "systemDns.take" with it, where people may not change it.',
  }),
  refuseFor: declare({
    schema: z.array(condition).max(64),
    default: [],
    group: 'privacy',
    unit: null,
    label: 'Never unencrypted for',
    help: 'Queries that fit one of these conditions never leave in cleartext: no rung, no rule that is a downgrade, no consent, no pause and no login page lets them out. While Sotto is off, the system asks another resolver for everybody, so only administrators may switch it off. Bypass rules for internal names hold for them, too. Where a condition names a user or a unit, programs that are not known count as fitting, and so does a program that asks for others, such as systemd-resolved.',
  }),
  groups: declare({
    schema: groupSettings,
    default: {},
    group: 'upstreams',
    unit: null,
    label: 'Groups of upstreams',
    help: 'Upstreams that name a group answer only for its names, over TLS like all others, under a policy of its own. Upstreams without one answer for every other name.',
  }),
  bypass: declare({
    schema: z.array(bypassRule),
    default: [],
    group: 'rules',
    unit: null,
    label: 'Bypass',
    help: 'Names under a suffix go to the plain resolvers given, in cleartext: for zones that exist only inside a network. The most specific rule wins. "=name" stands for that name alone, "*" for single labels, "10.0.0.0/8" for reverse names; "network" and "link:tun0" stand for the resolvers of this network or of that link.',
  }),
  learnRules: declare({
    schema: z.enum(['vpn', 'ask', 'off']),
    default: 'vpn',
    group: 'rules',
    unit: null,
    label: 'Rules learned from links',
    help: 'vpn: the domains of VPN links go to the resolvers of their link while it is there; those that other networks claim are asked about once per network. ask: VPN links are asked about, too. off: nothing is learned and nobody asked. The root and public suffixes are never learned.',
  }),
  allowPrivate: declare({
    schema: askedSuffixes,
    default: [],
    group: 'rules',
    unit: null,
    label: 'Private addresses allowed in',
    help: 'Names whose public answers may hold private addresses. Elsewhere such answers are refused: they let a web page reach into your network.',
  }),
  forwardSpecial: declare({
    schema: askedSuffixes,
    default: [],
    group: 'rules',
    unit: null,
    label: 'Special names forwarded',
    help: 'Special-use names, such as "test" or "168.192.in-addr.arpa", that your upstream knows; others are answered on this machine.',
  }),
  systemResolvers: declare({
    schema: z.union([z.literal('auto'), z.array(serverAddress).max(mostOfUpstream)], {
      error: `must be "auto" or a list of at most ${mostOfUpstream} IP addresses with optional ports`,
    }),
    default: 'auto',
    group: 'privacy',
    unit: null,
    label: "System's own resolvers",
    help: 'Where queries go, in cleartext, while Sotto is off or paused. auto: those the operating system was given. An empty list refuses instead.',
  }),
  'systemDns.take': declare({
    schema: z.boolean(),
    default: false,
    group: 'listening',
    unit: null,
    label: "Take the system's DNS",
    help: 'Every program of this machine asks Sotto. Given back while Sotto is off, and when it ends. Needs sotto-helper.',
  }),
  'systemDns.mechanism': declare({
    schema: z.enum(['auto', ...systemDnsMechanisms]),
    default: 'auto',
    group: 'listening',
    unit: null,
    label: "Way of taking the system's DNS",
    help: 'auto: what this system has, looked for in this order: systemd-resolved, NetworkManager, resolvconf, the file /etc/resolv.conf.',
  }),
  'systemDns.close': declare({
    schema: z.enum(['contested', 'always', 'never']),
    default: 'contested',
    group: 'listening',
    unit: null,
    label: 'Reject DNS that goes past Sotto',
    help: "What programs of this computer send to port 53 of others, while the system's DNS is with Sotto. contested: under refuse or a locked policy, once another program or the network has changed the system's DNS, until that network is left. always: for as long as Sotto has it. never: not at all. Needs the installed service and nftables.",
  }),
  'cache.entries': declare({
    schema: z.int().min(0).max(10_000_000),
    default: 100_000,
    group: 'cache',
    unit: 'entries',
    label: 'Cache size',
    help: 'Answers kept until they expire; 0 keeps none.',
  }),
  'cache.serveStale': declare({
    schema: z.literal([false, true, 'at-once']),
    default: false,
    group: 'cache',
    unit: null,
    label: 'Serve stale answers',
    help: 'When no upstream can be reached, answer with expired data and mark it (RFC 8767). "at-once" always does, and asks for new data behind the answer: no waiting, but addresses may be old.',
  }),
  'cache.staleHours': declare({
    schema: z.int().min(1).max(168),
    default: 24,
    group: 'cache',
    unit: 'hours',
    label: 'Serve stale answers for',
    help: 'How long after its expiry an answer may still be served. Counts only where stale answers are served.',
  }),
  'cache.hotSet': declare({
    schema: z.int().min(0).max(1000),
    default: 0,
    group: 'cache',
    unit: 'names',
    label: 'Names asked ahead',
    help: 'So many names that are often asked on this network are asked again when their answers expire, so that nobody waits for them. Costs at most as many extra queries a minute. Forgotten with the network; 0 asks none.',
  }),
  'connections.keepWarm': declare({
    schema: z.boolean(),
    default: true,
    group: 'connections',
    unit: null,
    label: 'Keep connections warm',
    help: 'While you are active, a connection that the upstream closes is opened again before you need it.',
  }),
  'connections.dialsPerHour': declare({
    schema: z.int().min(0).max(3600),
    default: 60,
    group: 'connections',
    unit: 'connections an hour',
    label: 'Connections kept warm',
    help: 'The most connections an hour to one upstream that are opened anew before anybody asks, because it closed the last one or is about to; 0 opens none.',
  }),
  'connections.keepWarmOnBattery': declare({
    schema: z.boolean(),
    default: false,
    group: 'connections',
    unit: null,
    label: 'Keep warm on battery',
    help: 'Do so on battery power, too.',
  }),
  'connections.fastOpen': declare({
    schema: z.boolean(),
    default: true,
    group: 'connections',
    unit: null,
    label: 'TCP Fast Open',
    help: 'Send the first octets with the first packet (RFC 7413), which saves a round trip. A path that swallows such packets is remembered.',
  }),
  'connections.ticketHours': declare({
    schema: z.int().min(0).max(168),
    default: 24,
    group: 'connections',
    unit: 'hours',
    label: 'Keep TLS tickets for',
    help: 'A ticket spares half of the next handshake, and tells the upstream that it is you again. Kept in memory, used once, never on another network; 0 keeps none.',
  }),
  'connections.postQuantum': declare({
    schema: z.enum(keyExchanges),
    default: 'prefer',
    group: 'connections',
    unit: null,
    label: 'Post-quantum key exchange',
    help: 'Whether what somebody records today stays unread when there are quantum computers (X25519MLKEM768). prefer: wherever server and path take it; a path that does not let such large hellos pass gets a smaller one, which is remembered for this network. require: no connection without it, which many servers do not have; where a path lets no large hello pass, every private connection fails then, and what the policy allows follows: with fallback names leave in cleartext, although a smaller hello would pass. off: it is never offered.',
  }),
  'portal.detect': declare({
    schema: z.boolean(),
    default: true,
    group: 'portals',
    unit: null,
    label: 'Notice login pages',
    help: 'When no private path works, find out whether the network wants a login, without telling anyone a name you asked for. DNS stays private meanwhile.',
  }),
  'portal.minutes': declare({
    schema: z.int().min(1).max(60),
    default: 5,
    group: 'portals',
    unit: 'minutes',
    label: 'Time for a login',
    help: "So long the login window may ask the network's own resolvers, for the login's names only; it ends sooner when a private path works.",
  }),
  'portal.probes': declare({
    schema: z.array(portalProbe).max(5),
    default: [
      {
        url: 'http://nmcheck.gnome.org/check_network_status.txt',
        text: 'NetworkManager is online',
      },
      { url: 'http://network-test.debian.net/nm', text: 'NetworkManager is online' },
      { url: 'http://detectportal.firefox.com/success.txt', text: 'success' },
    ],
    group: 'portals',
    unit: null,
    label: 'Pages of known text',
    help: 'Fetched where nothing stronger tells: if most of them hold another text, the network answers in their place. An empty list asks nobody.',
  }),
  'queryLog.mode': declare({
    schema: z.enum(['full', 'domain', 'counts', 'off']),
    default: 'full',
    group: 'queries',
    unit: null,
    label: 'Query log',
    help: 'full: whole names. domain: only the registrable domain. counts: no names. off: nothing is kept.',
  }),
  'queryLog.programs': declare({
    schema: z.boolean(),
    default: true,
    group: 'queries',
    unit: null,
    label: 'Programs in the query log',
    help: 'Each query says which program, user and container it came from, as far as the system tells.',
  }),
  'queryLog.keepDays': declare({
    schema: z.int().min(1).max(3650),
    default: 30,
    group: 'queries',
    unit: 'days',
    label: 'Keep queries for',
    help: 'Older queries are erased.',
  }),
  'queryLog.maxMegabytes': declare({
    schema: z.int().min(1).max(1_000_000),
    default: 512,
    group: 'queries',
    unit: 'megabytes',
    label: 'Largest query log',
    help: 'When the query log grows beyond this, its oldest queries are erased.',
  }),
  'audit.connections': declare({
    schema: z.boolean(),
    default: false,
    group: 'queries',
    unit: null,
    label: 'Look for connections without a name',
    help: 'Remembers the addresses that responses gave, and lists which programs reach others: "sotto connections". Nothing is blocked, and nothing of it is written to the disk.',
  }),
  'metrics.listen': declare({
    schema: metricsListen,
    default: nowhere,
    group: 'metrics',
    unit: null,
    label: 'Metrics to be fetched',
    help: 'An address of this computer ("127.0.0.1:9653", "[::1]:9653") or a Unix socket ("unix:/run/sotto/metrics.sock") where Prometheus and other programs may fetch figures about Sotto at /metrics. They hold no queried names and no users. Every program of this computer that reaches the address may fetch them. off: nowhere.',
  }),
  'metrics.collector': declare({
    schema: metricsCollector,
    default: nowhere,
    group: 'metrics',
    unit: null,
    label: 'Metrics to be sent',
    help: 'Where the same figures are sent to about once a minute, as OTLP over HTTPS ("https://otel.example.com/v1/metrics"). The collector learns the address of this computer, and a number that stands for it. off: nowhere.',
  }),
  'dnstap.socket': declare({
    schema: dnstapSocket,
    default: nowhere,
    group: 'metrics',
    unit: null,
    label: 'Queries to a dnstap reader',
    help: 'The Unix socket of a dnstap reader on this computer, which gets each query with the names that the query log keeps: whole ones, registrable domains, or none at all. The reader has to run as an account that may read the query log. off: no reader.',
  }),
};

type Declarations = typeof settingDeclarations;
export type SettingKey = keyof Declarations;
export type SettingValue<Key extends SettingKey> = z.output<Declarations[Key]['schema']>;

/** All values, by dotted key: the shape in which layers are merged. */
export type FlatSettings = { [Key in SettingKey]: SettingValue<Key> };

export const settingKeys = Object.keys(settingDeclarations) as SettingKey[];

export const defaultSettings = Object.fromEntries(
  settingKeys.map((key) => [key, settingDeclarations[key].default]),
) as FlatSettings;

function declare<Schema extends z.ZodType>(
  declaration: SettingDeclaration<Schema>,
): SettingDeclaration<Schema> {
  return declaration;
}
