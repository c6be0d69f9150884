/** What a service could say, for tests: each whole, but for what the test says of it. */
import type { Ask } from '../contract/ask.ts';
import type { DnsMessage } from '../contract/dns-message.ts';
import type { ProbeReport } from '../contract/probe-report.ts';
import type { QueryEvent } from '../contract/query-event.ts';
import type { ServiceStats } from '../contract/service-stats.ts';
import type { CacheStatus, ServiceStatus, UpstreamStatus } from '../contract/service-status.ts';
import type { SystemDnsStatus } from '../contract/system-dns.ts';
import { verdictInEnglish } from '../contract/verdict-words.ts';
// biome-ignore lint/style/noRestrictedImports: a made-up service judges as the real one does.
import { judgeVerdict } from '../service/verdict.ts';

export function someEvent(changes: Partial<QueryEvent> = {}): QueryEvent {
  return {
    id: 1,
    at: Date.UTC(2026, 0, 31, 14, 58, 3, 412),
    name: 'cdn.example.com',
    type: 'A',
    class: 'IN',
    outcome: 'forwarded',
    cost: 'reused',
    transport: 'dot',
    clear: 'none',
    rcode: 'NOERROR',
    extendedError: null,
    ms: 12.04,
    stages: { policy: 0.01, cache: 0.02, connect: 0, wait: 11.9, reply: 0.05 },
    roundTrips: 1,
    handshakeMs: 0,
    sentOctets: 130,
    receivedOctets: 470,
    questionOctets: 40,
    answerOctets: 60,
    authenticData: false,
    upstream: 'quad9',
    rule: '',
    reason: '',
    client: { protocol: 'udp', address: '127.0.0.1', port: 40_000 },
    ...changes,
  };
}

export function someMessage(changes: Partial<DnsMessage> = {}): DnsMessage {
  return {
    id: 1,
    rcode: 'NOERROR',
    flags: ['qr', 'rd', 'ra'],
    question: { name: 'cdn.example.com', type: 'A', class: 'IN' },
    answer: [{ name: 'cdn.example.com', type: 'A', class: 'IN', ttl: 300, data: '192.0.2.7' }],
    authority: [],
    additional: [],
    edns: null,
    ...changes,
  };
}

export function someUpstream(changes: Partial<UpstreamStatus> = {}): UpstreamStatus {
  return {
    id: 'quad9',
    transport: 'dot',
    group: '',
    path: 'dot',
    state: 'ready',
    address: '192.0.2.1:853',
    tls: {
      version: '1.3',
      cipher: 'TLS13_AES_256_GCM_SHA384',
      group: 'X25519MLKEM768',
      resumed: true,
      name: 'dns.example.net',
      pinned: false,
    },
    lastError: null,
    restingMs: 0,
    inFlight: 0,
    answered: 41,
    failed: 0,
    dials: 2,
    resumptions: 1,
    warmth: { idleLimitMs: 10_000, idleLimitBy: 'told', dials: 3, budget: 60, rests: null },
    cost: {
      reused: 38,
      resumed: 1,
      cold: 1,
      queued: 1,
      handshakes: 2,
      handshakeMeanMs: 31,
      octets: { sent: 9_200, received: 24_800, by: 'system' },
    },
    rttMs: 11.2,
    handshakeMs: 24,
    ...changes,
  };
}

export function someReport(changes: Partial<ProbeReport> = {}): ProbeReport {
  return {
    ok: true,
    error: null,
    transport: 'dot',
    address: '192.0.2.1:853',
    ms: 31.5,
    roundTrips: 4,
    fastOpen: 'off',
    earlyData: null,
    steps: [
      { at: 10.1, step: 'connect', text: 'TCP connection to 192.0.2.1:853' },
      { at: 20.2, step: 'tls', text: 'TLS 1.3' },
      { at: 31.5, step: 'answer', text: '60 octets' },
    ],
    tls: someUpstream().tls,
    chain: [
      {
        subject: 'CN=dns.example.net',
        issuer: 'CN=ca',
        names: ['dns.example.net'],
        notBefore: '2026-01-01',
        notAfter: '2027-01-01',
        daysLeft: 60,
        spki: 'AAAA=',
      },
    ],
    reply: null,
    ...changes,
  };
}

export function someCache(changes: Partial<CacheStatus> = {}): CacheStatus {
  return {
    entries: 55,
    capacity: 38_400_000,
    octets: 9_900,
    hits: 60,
    misses: 41,
    stale: 0,
    prefetched: 2,
    ...changes,
  };
}

export function someStats(changes: Partial<ServiceStats> = {}): ServiceStats {
  return {
    at: Date.UTC(2026, 0, 31, 14, 58, 3, 412),
    startedAt: Date.UTC(2026, 0, 31, 12, 53, 3, 412),
    outcomes: { forwarded: 41, cached: 60 },
    cache: someCache(),
    events: { delivered: 101, dropped: 0 },
    strays: 3,
    ownProbes: [
      { kind: 'starttls', count: 2, last: Date.UTC(2026, 0, 31, 14, 57) },
      { kind: 'portal-names', count: 1, last: Date.UTC(2026, 0, 31, 14, 12) },
      { kind: 'portal-pages', count: 0, last: null },
      { kind: 'portal-api', count: 0, last: null },
    ],
    upstreams: [{ id: 'quad9', answered: 41, failed: 1, dials: 3, resumptions: 2, rttMs: 11.2 }],
    memory: 60_000_000,
    tally: {
      since: Date.UTC(2026, 0, 31, 12, 53, 3, 412),
      questions: 101,
      costs: { reused: 37, resumed: 2, cold: 1, queued: 1 },
      forwarded: [
        [12_031, 39],
        [31_743, 1],
        [64_511, 1],
      ],
    },
    ...changes,
  };
}

export function someSystemDns(changes: Partial<SystemDnsStatus> = {}): SystemDnsStatus {
  return {
    mechanism: 'resolved',
    wanted: true,
    taken: true,
    since: Date.UTC(2026, 0, 31, 12, 53),
    links: ['wlan0'],
    givenBackFor: null,
    contest: null,
    trouble: null,
    ...changes,
  };
}

/** Led here, looked at and private, unless said otherwise; the verdict is that of what is said. */
export function someStatus(changes: Partial<ServiceStatus> = {}): ServiceStatus {
  const status = { ...quietStatus(), ...changes };
  const verdict =
    changes.verdict ??
    judgeVerdict({
      ...status,
      coverage: { programsArrive: true, around: [] },
      exceptions: status.clear.filter(({ class: kind }) => kind === 'bypass').length,
      reached: true,
    });
  return { ...status, verdict, sentence: changes.sentence ?? verdictInEnglish(verdict) };
}

function quietStatus(): Omit<ServiceStatus, 'verdict' | 'sentence'> {
  return {
    version: '1.2.3',
    pid: 4711,
    startedAt: Date.now() - 7_500_000,
    guarded: true,
    protection: { state: 'private', upstream: 'quad9', tls: 'TLS 1.3' },
    listening: ['127.0.0.1:5300', '[::1]:5300'],
    upstreams: [someUpstream()],
    outcomes: { forwarded: 41, cached: 60 },
    clear: [],
    groups: [
      {
        id: '',
        names: [],
        policy: 'refuse',
        why: 'the defaults',
        rungs: ['tcp', 'udp'],
        strategy: 'ordered',
        consent: 'anyone',
        state: { state: 'private', upstream: 'quad9', tls: 'TLS 1.3' },
      },
    ],
    asks: [],
    rungs: [],
    network: { id: 'any', label: 'this network', authenticated: true },
    systemDns: someSystemDns(),
    portal: null,
    cache: someCache(),
    events: { delivered: 101, dropped: 0 },
    log: { state: 'writing', reason: null, rows: 101, octets: 1_000_000, lost: 0 },
    health: [],
  };
}

export function someAsk(changes: Partial<Ask> = {}): Ask {
  return {
    id: 'kfpm',
    network: '3f2a9c01b7de',
    networkLabel: 'the café\u001b[2J',
    group: '',
    upstream: 'Quad9',
    why: 'Quad9: timed out.',
    rungs: ['tcp', 'udp'],
    consent: 'anyone',
    openedAt: Date.UTC(2026, 0, 31, 14, 2),
    deadline: Date.now() + 9 * 60_000,
    state: 'open',
    answeredAt: null,
    who: null,
    until: null,
    ...changes,
  };
}
