/**
 * What the engine is given and what it tells: configuration, status, reports and event records.
 * Written by `npm run boundary` from the Rust types; changes belong there.
 */

import {
  attributions,
  clearClasses,
  clientProtocols,
  costs,
  outcomes,
  transports,
  type Attribution,
  type ClearClass,
  type ClientProtocol,
  type Conditional,
  type Cost,
  type Counter,
  type Destination,
  type DowngradeSign,
  type FastOpen,
  type Fate,
  type Fit,
  type Kept,
  type KeyUse,
  type LimitBy,
  type Outcome,
  type PostQuantum,
  type Rest,
  type Rung,
  type Standing,
  type StepKind,
  type Strategy,
  type Together,
  type UpstreamState,
  type UpstreamTransport,
} from '../../contract/engine-words.ts';

/** A `T`, as JSON text. */
export type Json<T> = string & { readonly of?: T };

export type EngineConfig = {
  listen: Array<string>;
  mode: Mode;
  /** partitions connections, tickets, cache and STARTTLS memory */
  network: string;
  /** how many network changes were known when this was decided */
  networkChanges: number;
  upstreams: Array<EngineUpstream>;
  /** the default group, id '', is first; if it is left out, it uses `ordered` and never cleartext */
  groups: Array<EngineGroup>;
  /** the network's own resolvers, for the rung of that name */
  networkResolvers: Array<string>;
  /** servers that proved themselves to a process before this one */
  knownPrivate: Array<Known>;
  bypass: Array<EngineBypass>;
  /** whose queries never leave in cleartext, except by bypass rules that are no downgrade */
  refuseFor: Array<EngineWhen>;
  /** units whose programs ask for others; who that is, nobody knows */
  forwarders: Array<string>;
  /** special-use names to be treated as ordinary ones */
  forwardSpecial: Array<DomainName>;
  /** names whose public responses may hold private addresses */
  allowPrivate: Array<DomainName>;
  cache: CacheConfig;
  portal: PortalConfig;
  connections: EngineConnections;
  leases: Array<EngineLease>;
  /** whether the log keeps anything; if not, no events are made */
  events: boolean;
  /** whether events say which program asked */
  programs: boolean;
  /** whether connections to addresses that no response gave are looked for */
  audit: boolean;
};

export type Mode = 'private' | {
  'direct': {
    class: ClearClass;
    servers: Array<string>;
  };
};

export type EngineUpstream = {
  id: string;
  transport: UpstreamTransport;
  /** in order of preference; names only behind a proxy */
  addresses: Array<Endpoint>;
  /** SOCKS5, private transports only */
  proxy: string | null;
  /** authentication domain names; one of them must be in the certificate */
  names: Array<string>;
  /** base64 SHA-256 of a SubjectPublicKeyInfo */
  pins: Array<string>;
  /** base64 SHA-256 of the TBSCertificate of certificates, of which one must be in the chain */
  certificatePins: Array<string>;
  /** PEM text; absent: the roots of the operating system */
  ca: string | null;
  /** who this machine is to the server; absent: nobody in particular */
  identity: EngineIdentity | null;
  starttls: Signal;
  /** id of its group; empty: the default one */
  group: string;
  alternative?: Alternative | undefined;
  /** the port for the rungs in cleartext; `None`: it is not asked in cleartext */
  clearPort: number | null;
  /** the query that opens a connection may leave with the TLS hello; an attacker can deliver it again */
  earlyData: boolean;
  postQuantum: PostQuantum;
  /** transport encdns only */
  encdns: EngineEncDns | null;
};

/** A client certificate and its key. An upstream that names one is never asked without it. */
export type EngineIdentity = {
  name: string;
  /** PEM text: the private key, then the certificates, its own first; absent: there is none that can be used */
  pem: string | null;
  /** what is wrong with it; empty: nothing, or it is not on this machine */
  trouble: string;
};

/** [`Signal`] as a configuration writes it. */
export type Signal = 'draft' | 'compat';

/** How queries are put into boxes, and who carries them (docs/design/encdns.md). */
export type EngineEncDns = {
  zone: DomainName;
  /** the server's public key, 64 hexadecimal digits */
  key: string;
  keys: KeyUse;
  /** any resolver, over any other transport; without addresses: the network has named no resolver */
  firstHop: EngineUpstream;
};

/** Upstreams for names of their own (docs/design/policy.md). */
export type EngineGroup = {
  /** empty: the default group */
  id: string;
  /** with everything below them; empty: every name that no other group takes */
  names: Array<DomainName>;
  strategy: Strategy;
  /** the rungs that a lease of the group allows, in order */
  rungs: Array<Rung>;
  /** queries without a private path wait for a lease */
  hold: boolean;
  /** in force here and now */
  policy: 'refuse' | 'warn' | 'fallback';
  /** absent: everybody's names */
  when: EngineWhen | null;
};

/** Which names go to which plain resolvers (docs/design/split-horizon.md). */
export type EngineBypass = {
  /** its name in ledger, lease and query log */
  rule: string;
  /** with everything below them */
  below: Array<DomainName>;
  alone: Array<DomainName>;
  /** names of one label that are no top-level domain */
  singleLabels: boolean;
  /** absent: it is one rule, and no list of many */
  list?: EngineList | undefined;
  /** empty: they are not known now, so the rule's names are refused */
  to: Array<string>;
  /** the class of its lease: `policy` where the rule is a downgrade */
  class: ClearClass;
  /** absent: it holds for everybody */
  when: EngineWhen | null;
};

/** Many rules that differ in their names alone. Log and explanation name the one rule that a query met. */
export type EngineList = {
  names: string;
  /** the end of each rule's name in the query log, after the one of these names */
  after: string;
};

export type CacheConfig = {
  entries: number;
  serveStale: boolean;
  /** Expired responses do not wait for new ones, which are asked for behind them. */
  staleAtOnce?: boolean | undefined;
  staleHours: number;
  /** Names that are asked for ahead where they are asked often, and queries a minute for them; zero: none. */
  hotSet?: number | undefined;
};

/** The queries that a network gets which may want a login (docs/design/portals.md). */
export type PortalConfig = {
  /** the network's own */
  resolvers: Array<string>;
  /** no client asked for these names, so they need no lease */
  probes: Array<DomainName>;
};

/**
 * How connections to upstreams are opened and kept (docs/design/round-trips.md). A change is in force at once, also for open
 * connections.
 */
export type EngineConnections = {
  keepWarm: boolean;
  /** dials to each upstream for which no query waits */
  dialsPerHour: number;
  /** the machine runs on its battery, so keep-warm does less */
  spareBattery: boolean;
  fastOpen: boolean;
  /** how old a ticket may become; 0: none is kept */
  ticketHours: number;
};

export type EngineLease = {
  /** the ledger's id */
  entry: number;
  class: ClearClass;
  /** the bypass rule it was given for; absent: class `bypass` then allows any rule, class `policy` none */
  rule: string | null;
  /** class `policy` without a rule: the group it was given for */
  group: string;
  /** unix milliseconds */
  until: number | null;
};

/** Whose queries are meant. All that is given must fit; in a list one must. */
export type EngineWhen = {
  /** numbers of users; absent: any */
  users: Array<number> | null;
  /** some accounts have no number here, so nobody is certain to be another */
  unknownUsers: boolean;
  /** first number and how many: under these, too, somebody of `users` may run programs (subuid(5)) */
  subordinates: Array<[number, number]>;
  /** units of the system's manager; absent: any program */
  units: Array<string> | null;
};

/** Why a configuration was refused; the one before it stays in force. */
export type ConfigError = {
  code: string;
  /** the field, as in `upstreams[0].ca` */
  path: string;
  message: string;
  remedy: string;
};

/** Another transport to the same server, with the same authentication. */
export type Alternative = number | null;

/** A name in presentation form, checked as it is read. */
export type DomainName = string;

export type Endpoint = string;

export type Known = string;

export type EngineStatus = {
  listening: Array<string>;
  /** addresses of the settings that are none of this machine now */
  elsewhere: Array<string>;
  /** `private`, or the class of the lease under which everything goes out */
  mode: 'private' | 'off' | 'paused';
  upstreams: Array<EngineUpstreamStatus>;
  /** below the private paths; empty unless a lease allows them */
  rungs: Array<RungStatus>;
  /** queries that found no private path, and wait for a lease or for a path */
  holding: number;
  /** servers that proved themselves before, and then did something else */
  downgradeEvidence: Array<DowngradeEvidence>;
  /** where servers proved themselves, for the next process */
  knownPrivate: Array<Known>;
  outcomes: Partial<Record<Outcome, number>>;
  clear: Array<LeaseStatus>;
  /** packets sent in cleartext outside the ledger, without a name that a client asked for */
  ownProbes: Array<OwnProbesStatus>;
  events: Delivery;
  cache: CacheStatus;
  /** bypass resolvers that lead back to us */
  looping: Array<string>;
  /** messages from bypass resolvers, or from the system's resolvers while off, that were no response to a query of ours */
  strays: number;
  /** TCP connections that could not be accepted */
  acceptFailures: AcceptFailures;
  /** listeners that ended by themselves, and start again */
  brokenListeners: Array<BrokenListener>;
  /** queries that were turned away because too many waited for the network */
  turnedAway: TurnedAway;
};

export type EngineUpstreamStatus = {
  id: string;
  transport: UpstreamTransport;
  /** empty: the default group */
  group: string;
  /** queries that it got along with other upstreams, which were quicker */
  outrun: number;
  state: UpstreamState;
  /** in use, or used last; null where there was none */
  path: UpstreamTransport | null;
  /** in use, or used last */
  address: string | null;
  /** of the connection; while idle or dialing, what was agreed on the last one */
  tls: TlsFacts | null;
  lastError: LastError | null;
  restingMs: number;
  inFlight: number;
  answered: number;
  failed: number;
  dials: number;
  resumptions: number;
  /** messages that were no response to a query of ours: another id, question, address or cookie */
  strays: number;
  /** EncDNS: the server did not say whether it can hide the lengths of queries, so whoever carries the boxes sees them */
  lengthsShown: boolean;
  /** how its connections are kept warm; null where there are none to keep */
  warmth: Warmth | null;
  /** null where there are no connections */
  cost: Spending | null;
  /** smoothed time from query to response; null before the first */
  rttMs: number | null;
  handshakeMs: number | null;
};

export type LeaseStatus = {
  /** the ledger's id */
  entry: number;
  class: ClearClass;
  /** packets with a name in cleartext */
  count: number;
  ended: boolean;
  /** the network has changed, and the control plane has not confirmed the lease since */
  suspended: boolean;
};

export type CacheStatus = {
  entries: number;
  /** octets it may take */
  capacity: number;
  octets: number;
  /** names that are asked for ahead */
  hotNames: number;
  hits: number;
  misses: number;
  /** responses given although they had expired */
  stale: number;
  /** queries asked before anyone missed the response */
  prefetched: number;
  /** queries for names of the hot set, without anyone asking */
  sentAhead: number;
};

/** How a connection is kept warm, as `status()` shows it. */
export type Warmth = {
  /** null: it never said, and never closed */
  idleLimitMs: number | null;
  idleLimitBy: LimitBy | null;
  /** in the last hour, before a query needed them */
  dials: number;
  /** how many an hour may have */
  budget: number;
  /** why none is opened now */
  rests: Rest | null;
};

/** What its queries and connections have cost since the beginning. */
export type Spending = {
  /** answered queries that found the connection open */
  reused: number;
  /** answered queries that opened one with a ticket */
  resumed: number;
  /** answered queries that opened one without */
  cold: number;
  /** answered queries that waited for one that was being opened */
  queued: number;
  /** connections that were opened, needed or ahead of need */
  handshakes: number;
  /** the mean of their times; that of the last one is in `tls` */
  handshakeMeanMs: number | null;
  octets: Octets;
};

export type Octets = {
  sent: number;
  received: number;
  by: Counter;
};

/** What was agreed with the server, for people. */
export type TlsFacts = {
  /** `1.2` or `1.3` */
  version: string;
  cipher: string;
  /** key exchange group; empty where a resumed TLS 1.2 session had none */
  group: string;
  resumed: boolean;
  /** the authentication domain name that was found in the certificate */
  name: string | null;
  pinned: boolean;
};

export type LastError = {
  code: string;
  text: string;
  /** the addresses to which no connection could be opened, the gravest first */
  tried?: Array<Tried> | undefined;
};

/** One address that was tried in vain. */
export type Tried = {
  address: string;
  /** the word of [`Failure::code`] */
  code: string;
  text: string;
};

export type DowngradeEvidence = {
  /** id */
  upstream: string;
  address: Endpoint;
  /** a hint, as the configuration names it */
  network: string;
  what: DowngradeSign;
  /** what was seen last */
  text: string;
  /** unix milliseconds */
  first: number;
  last: number;
  count: number;
};

/** A step at this moment, as `status()` shows it. */
export type RungStatus = {
  group: string;
  rung: Rung;
  upstream: string;
  state: UpstreamState;
  lastError: string | null;
};

export type OwnProbesStatus = {
  kind: 'starttls' | 'portal-names' | 'encdns';
  count: number;
  /** unix milliseconds; none: there was none */
  last: number | null;
};

export type Delivery = {
  delivered: number;
  dropped: number;
};

export type TurnedAway = {
  /** queries, ever since */
  count: number;
  /** half of the room was not free since the last of them */
  standing: boolean;
};

export type BrokenListener = {
  why: string;
  address: string;
  protocol: ClientProtocol;
};

export type AcceptFailures = {
  /** attempts, ever since */
  count: number;
  /** no connection was accepted since the last of them */
  standing: boolean;
  lastError: string | null;
};

/** What to forget; in JSON `{"name": "www.example"}` or `{"suffix": "example"}`. */
export type CacheFilter = {
  'name': DomainName;
} | {
  'suffix': DomainName;
};

/** What a response is, not what it says. */
export type CacheEntry = {
  name: string;
  /** as it was asked; NXDOMAIN answers for every other type too */
  type: string;
  class: string;
  rcode: string;
  /** records in its answer section */
  answers: number;
  /** seconds; below zero since it expired */
  ttlLeft: number;
  stale: boolean;
  dnssecOk: boolean;
  checkingDisabled: boolean;
  upstream: string;
  authenticated: boolean;
  /** of memory */
  octets: number;
  negative: boolean;
};

export type Explanation = {
  name: string;
  type: string;
  verdict: Destination;
  /** as the event names it */
  rule: string;
  reason: string;
  /** of a response made on this machine */
  rcode: string | null;
  /** ip:port of plain resolvers, or ids of upstreams, in the order they would be asked */
  servers: Array<string>;
  /** id of the group that is asked */
  group: string | null;
  clear: ClearClass;
  cached: Kept | null;
  /** the query never leaves in cleartext, except by bypass rules that are no downgrade */
  privateOnly: boolean;
  /** those that were judged, each once */
  conditions: Array<JudgedCondition>;
};

/** A condition, and whether it fits. */
export type JudgedCondition = {
  of: Conditional;
  /** the rule's word, the group's id, the position in `refuseFor` */
  name: string;
  fit: Fit;
};

/** Who asks, as a person supposes. */
export type SupposedAsker = {
  /** number of a user; absent: nobody knows */
  user: number | null;
  /** such as `backup.service`; empty: no unit of the system's manager; absent: nobody knows */
  unit: string | null;
};

/** What happens to a query. */
export type Decision = {
  verdict: Destination;
  fate: Fate;
  /** as the event names it */
  rule: string;
  reason: string;
  /** of a response made on this machine */
  rcode: string | null;
  /** ip:port of plain resolvers, or ids of upstreams, in the order they would be asked */
  servers: Array<string>;
  /** how the first of the upstreams is reached, as in `dot://192.0.2.1:853#dns.example` */
  at: string | null;
  /** id of the group that is asked */
  group: string | null;
  clear: ClearClass;
  /** what follows where none of its upstreams can be reached privately; null: they are not private, or none is asked */
  below: 'refuse' | 'warn' | 'fallback' | null;
};

export type SupposedQueries = {
  askers: Array<SupposedAsker>;
  queries: Array<SupposedQuery>;
};

/** Name in presentation form, mnemonic of the type, position of the asker, and how often it was asked. */
export type SupposedQuery = [string, string, number, number];

export type Simulated = {
  queries: number;
  /** of them, those that are never resolved, whatever the settings say, or that are no queries */
  unresolved: number;
  decisions: Array<Decision>;
  pairs: Array<Pair>;
  /** private upstreams that would be asked and were never reached from here, nor tried without success */
  untried: Array<string>;
};

/** The queries that have these two decisions; equal ones where nothing changes. */
export type Pair = {
  /** position in `decisions` */
  before: number;
  after: number;
  queries: number;
  /** some of their names, no two alike */
  names: Array<string>;
};

export type ResponseOfOne = {
  /** the transport that was used */
  transport: UpstreamTransport | null;
  cost: Cost;
  connectMs: number;
  waitMs: number;
  roundTrips: number;
  /** base64, without the OPT */
  response: string | null;
  error: LastError | null;
};

export type ProbeRequest = {
  transport: UpstreamTransport;
  /** in order of preference */
  addresses: Array<Endpoint>;
  /** SOCKS5, private transports only */
  proxy: string | null;
  names: Array<string>;
  pins: Array<string>;
  certificatePins: Array<string>;
  ca: string | null;
  /** transport encdns only, which has no addresses */
  encdns: EngineEncDns | null;
  starttls: Signal;
  postQuantum?: PostQuantum | undefined;
  /** base64 of a query */
  query: string;
  timeoutMs: number | null;
};

export type ProbeReport = {
  ok: boolean;
  /** the gravest, with all others after it */
  error: ProbeError | null;
  transport: UpstreamTransport;
  /** the one that responded, or whose error is the gravest; all other fields but `tried` and `alternative` are about it */
  address: string;
  /** the addresses that were tried in vain, the gravest first */
  tried?: Array<Tried> | undefined;
  ms: number;
  roundTrips: number;
  fastOpen: FastOpen;
  /** how many octets the server's tickets let a client send with its next hello */
  earlyData: number | null;
  steps: Array<ProbeStep>;
  tls: TlsFacts | null;
  /** as presented, the server's own first */
  chain: Array<Certificate>;
  /** base64, without the OPT */
  response: string | null;
  /** packets with a name in cleartext that left under no lease of the service */
  clearPackets: number;
  /** how the server behaves, where it works and is private */
  examination?: Examination | undefined;
  /** the same for the other private transport, where there is one */
  alternative?: ProbeReport | undefined;
};

export type ProbeError = {
  code: string;
  message: string;
};

export type ProbeStep = {
  /** milliseconds since the beginning */
  at: number;
  step: StepKind;
  text: string;
};

export type Examination = {
  /** tickets that the first connection left for later ones */
  tickets: number;
  resumed: boolean;
  roundTrips: number;
  handshakeMs: number;
  fastOpen: FastOpen;
  /** of the path */
  roundTripMs: number;
  /** from a query to its response, on an open connection */
  answerMs: number | null;
  /** how long an idle connection may stay open (RFC 7828); null: the server does not say */
  keepaliveMs: number | null;
  padding: Padding | null;
  /** what happened to several queries in one write; null: too few responses to tell */
  together: Together | null;
  dnssec: Dnssec | null;
  resolver: ResolverInfo | null;
};

export type Padding = {
  /** every response carried the option */
  padded: boolean;
  /** all lengths are multiples of it; null: of none that is usual */
  block: number | null;
};

/** How it responds about the root, which is signed. */
export type Dnssec = {
  /** it sets AD: it validates, or believes a resolver that does */
  authentic: boolean;
  /** signatures come along where the query wants them */
  signed: boolean;
  /** it lets the client check for itself */
  checkingDisabled: boolean;
};

export type ResolverInfo = {
  /** sends other servers no more of a name than they need to know (RFC 9156) */
  minimises: boolean;
  /** info-codes of RFC 8914 that it may send; `None`: it does not say */
  extendedErrors: Array<number> | null;
  /** for people; only https and printable */
  url: string | null;
};

export type Certificate = {
  subject: string;
  issuer: string;
  names: Array<string>;
  notBefore: string;
  notAfter: string;
  /** below zero once it has expired */
  daysLeft: number;
  spki: string;
};

export type Description = {
  id: number;
  /** mnemonic, extended */
  rcode: string;
  flags: Array<string>;
  question: QuestionText | null;
  answer: Array<RecordText>;
  authority: Array<RecordText>;
  /** without the OPT */
  additional: Array<RecordText>;
  edns: EdnsText | null;
};

export type QuestionText = {
  name: string;
  type: string;
  class: string;
};

export type RecordText = {
  name: string;
  ttl: number;
  type: string;
  class: string;
  /** presentation form; `\# length hex` (RFC 3597) where the type is unknown or its data malformed */
  data: string;
};

export type EdnsText = {
  udpSize: number;
  version: number;
  dnssecOk: boolean;
  extendedErrors: Array<ExtendedErrorText>;
  /** milliseconds the server keeps an idle connection */
  keepaliveMs: number | null;
  padded: boolean;
};

export type ExtendedErrorText = {
  code: number;
  text: string;
};

/** Times are unix milliseconds. */
export type AuditReport = {
  /** since when responses are known */
  since: number;
  /** when connections were looked at last */
  lookedAt: number;
  /** milliseconds from one look to the next */
  betweenLooks: number;
  /** whatever was given since then is remembered */
  remembersSince: number;
  /** how many addresses are remembered */
  addresses: number;
  /** at the last look; null: the system tells of no connections */
  seen: AuditSeen | null;
  /** why connections could not be looked at; empty: they could */
  trouble: string;
  programs: Array<AuditProgram>;
  /** addresses that were listed, and had to make room for others */
  leftOut: number;
};

/** Connections by what they are. */
export type AuditSeen = {
  /** to an address that a response gave */
  named: number;
  /** to one that is listed */
  listed: number;
  /** opened by other computers */
  accepted: number;
  /** to this computer or its network */
  nearby: number;
  /** of the service itself */
  own: number;
  /** false: there were more sockets than are read */
  isWhole: boolean;
};

export type AuditProgram = {
  program: string;
  unit: string;
  container: string;
  executable: string;
  user: string;
  addresses: Array<AuditAddress>;
};

export type AuditAddress = {
  address: string;
  port: number;
  protocol: 'tcp' | 'udp';
  standing: Standing;
  firstSeen: number;
  lastSeen: number;
  /** how many connections there were */
  connections: number;
  /** how many of them were open at the last look */
  open: number;
};

/** The numbers of an event record; enumerations are positions in `recordWords`. */
export interface EventNumbers {
  outcome: number;
  cost: number;
  transport: number;
  clientProtocol: number;
  clear: number;
  /** rises, unique while the engine runs */
  id: number;
  /** unix microseconds, when the query arrived */
  at: number;
  type: number;
  class: number;
  /** of the response, extended */
  rcode: number;
  /** info-code of RFC 8914, or `noExtendedError` */
  extendedError: number;
  /** microseconds */
  total: number;
  /** microseconds */
  policy: number;
  /** microseconds */
  cache: number;
  /** microseconds that it waited for a connection */
  connect: number;
  /** microseconds that it waited for the upstream */
  wait: number;
  /** microseconds */
  response: number;
  /** as received from the client */
  queryOctets: number;
  /** as sent to the client */
  responseOctets: number;
  /** records in the response's answer section: 0 where the name has none of this type */
  answers: number;
  clientPort: number;
  /** spent upstream, handshakes included */
  roundTrips: number;
  /** `authenticDataFlag`: AD is set in the response */
  flags: number;
  /** octets of its messages on the upstream's connection, framing and padding included, TLS records not; each time it was sent counts. 0 where it shared another query's resolution */
  sent: number;
  /** likewise */
  received: number;
  /** microseconds that opening its connection took; 0 where that was open */
  handshake: number;
  attribution: number;
}

/** An event record: how one query ended, and what it cost. */
export interface EventRecord extends EventNumbers {
  /** presentation form, lower case, ASCII with `\DDD` escapes */
  name: string;
  upstream: string;
  rule: string;
  reason: string;
  clientAddress: string;
  program: string;
  unit: string;
  container: string;
  executable: string;
  user: string;
}

export const recordLayout = 5;
export const noExtendedError = 65535;
export const authenticDataFlag = 1;
/** Octets before the name. */
export const numbersEnd = 79;
/** The texts after the name, in their order. */
export const recordTexts = ['upstream', 'rule', 'reason', 'clientAddress', 'program', 'unit', 'container', 'executable', 'user'] as const;

export const recordWords = {
  outcome: outcomes,
  cost: costs,
  transport: transports,
  clientProtocol: clientProtocols,
  clear: clearClasses,
  attribution: attributions,
} as const;

/** Where each number stands, counted from the record's first octet. */
export const recordNumbers = {
  outcome: { at: 3, octets: 1 },
  cost: { at: 4, octets: 1 },
  transport: { at: 5, octets: 1 },
  clientProtocol: { at: 6, octets: 1 },
  clear: { at: 7, octets: 1 },
  id: { at: 8, octets: 8 },
  at: { at: 16, octets: 8 },
  type: { at: 24, octets: 2 },
  class: { at: 26, octets: 2 },
  rcode: { at: 28, octets: 2 },
  extendedError: { at: 30, octets: 2 },
  total: { at: 32, octets: 4 },
  policy: { at: 36, octets: 4 },
  cache: { at: 40, octets: 4 },
  connect: { at: 44, octets: 4 },
  wait: { at: 48, octets: 4 },
  response: { at: 52, octets: 4 },
  queryOctets: { at: 56, octets: 2 },
  responseOctets: { at: 58, octets: 2 },
  answers: { at: 60, octets: 2 },
  clientPort: { at: 62, octets: 2 },
  roundTrips: { at: 64, octets: 1 },
  flags: { at: 65, octets: 1 },
  sent: { at: 66, octets: 4 },
  received: { at: 70, octets: 4 },
  handshake: { at: 74, octets: 4 },
  attribution: { at: 78, octets: 1 },
} as const;

export function readNumbers(view: DataView, start: number): EventNumbers {
  return {
    outcome: view.getUint8(start + 3),
    cost: view.getUint8(start + 4),
    transport: view.getUint8(start + 5),
    clientProtocol: view.getUint8(start + 6),
    clear: view.getUint8(start + 7),
    id: unsigned64(view, start + 8),
    at: unsigned64(view, start + 16),
    type: view.getUint16(start + 24, true),
    class: view.getUint16(start + 26, true),
    rcode: view.getUint16(start + 28, true),
    extendedError: view.getUint16(start + 30, true),
    total: view.getUint32(start + 32, true),
    policy: view.getUint32(start + 36, true),
    cache: view.getUint32(start + 40, true),
    connect: view.getUint32(start + 44, true),
    wait: view.getUint32(start + 48, true),
    response: view.getUint32(start + 52, true),
    queryOctets: view.getUint16(start + 56, true),
    responseOctets: view.getUint16(start + 58, true),
    answers: view.getUint16(start + 60, true),
    clientPort: view.getUint16(start + 62, true),
    roundTrips: view.getUint8(start + 64),
    flags: view.getUint8(start + 65),
    sent: view.getUint32(start + 66, true),
    received: view.getUint32(start + 70, true),
    handshake: view.getUint32(start + 74, true),
    attribution: view.getUint8(start + 78),
  };
}

/** Beyond 2^53 it loses digits: the reader refuses such a record. */
function unsigned64(view: DataView, at: number): number {
  return view.getUint32(at + 4, true) * 0x1_0000_0000 + view.getUint32(at, true);
}

/** The query log's column of each field; the name is in a table of its own. */
export const recordColumns = {
  outcome: { column: 'outcome', type: 'INTEGER' },
  cost: { column: 'cost', type: 'INTEGER' },
  transport: { column: 'transport', type: 'INTEGER' },
  clientProtocol: { column: 'client_protocol', type: 'INTEGER' },
  clear: { column: 'clear', type: 'INTEGER' },
  id: { column: 'id', type: 'INTEGER' },
  at: { column: 'at', type: 'INTEGER' },
  type: { column: 'type', type: 'INTEGER' },
  class: { column: 'class', type: 'INTEGER' },
  rcode: { column: 'rcode', type: 'INTEGER' },
  extendedError: { column: 'extended_error', type: 'INTEGER' },
  total: { column: 'total', type: 'INTEGER' },
  policy: { column: 'policy', type: 'INTEGER' },
  cache: { column: 'cache', type: 'INTEGER' },
  connect: { column: 'connect', type: 'INTEGER' },
  wait: { column: 'wait', type: 'INTEGER' },
  response: { column: 'response', type: 'INTEGER' },
  queryOctets: { column: 'query_octets', type: 'INTEGER' },
  responseOctets: { column: 'response_octets', type: 'INTEGER' },
  answers: { column: 'answers', type: 'INTEGER' },
  clientPort: { column: 'client_port', type: 'INTEGER' },
  roundTrips: { column: 'round_trips', type: 'INTEGER' },
  flags: { column: 'flags', type: 'INTEGER' },
  sent: { column: 'sent', type: 'INTEGER' },
  received: { column: 'received', type: 'INTEGER' },
  handshake: { column: 'handshake', type: 'INTEGER' },
  attribution: { column: 'attribution', type: 'INTEGER' },
  upstream: { column: 'upstream', type: 'TEXT' },
  rule: { column: 'rule', type: 'TEXT' },
  reason: { column: 'reason', type: 'TEXT' },
  clientAddress: { column: 'client_address', type: 'TEXT' },
  program: { column: 'program', type: 'TEXT' },
  unit: { column: 'unit', type: 'TEXT' },
  container: { column: 'container', type: 'TEXT' },
  executable: { column: 'executable', type: 'TEXT' },
  user: { column: 'user', type: 'TEXT' },
} as const;
