/** `sotto status`: the verdict first, then the facts behind it, then what is wrong and what to do. */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { protectionSentence } from '../../contract/protection/protection-sentence.ts';
import { verdictInEnglish } from '../../contract/protection/verdict-words.ts';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type { HealthIssue } from '../../contract/status/health-issue.ts';
import type {
  GroupStatus,
  Loosened,
  ServiceStatus,
  UpstreamStatus,
  Warmth,
} from '../../contract/status/service-status.ts';
import { noNetwork } from '../../contract/system/no-network.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import {
  sayCount,
  sayLatency,
  sayOctets,
  sayShare,
  shareOf,
} from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute, minuteOf } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';
import type { Paint, Terminal } from '../terminal/terminal.ts';
import { padEnd } from '../terminal/terminal-text.ts';
import { renderChoices, renderConsentRequest } from './consent-request.ts';
import { saySystemDns } from './system-dns.ts';

export function renderStatus(status: ServiceStatus, terminal: Terminal, now: number): string[] {
  const { verdict, version, pid, startedAt, listening, systemDns } = status;
  return [
    terminal.paint(
      strength(verdict.is),
      safe(verdictInEnglish(verdict, (at) => minuteOf(at, now))),
    ),
    ...renderWayOut(status, now),
    '',
    ...renderUpstreams(status.upstreams),
    '',
    ...labelled('Protection', renderProtection(status)),
    ...labelled('Policy', renderPolicies(status)),
    ...labelled('Looser', status.loosened.map(renderLoosened)),
    ...labelled('Network', [renderPlace(status)]),
    ...labelled('Listening', [listening.length === 0 ? 'nowhere' : listening.map(safe).join(', ')]),
    ...labelled('System DNS', systemDns === null ? [] : [saySystemDns(systemDns)]),
    ...labelled('Queries', [renderOutcomes(status)]),
    ...labelled('Clear', renderClear(status, now)),
    ...labelled('Query log', [renderLog(status)]),
    ...labelled('Service', [
      `${safe(version)}, pid ${pid}, running for ${sayDuration(now - startedAt)}`,
    ]),
    ...status.health
      .filter((issue) => !isSaid(issue, verdict.is))
      .flatMap((issue) => renderIssue(issue, terminal)),
  ];
}

const margin = 12;

function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${padEnd(index === 0 ? label : '', margin)}${line}`);
}

/** The commands that help with the state above. */
function renderWayOut(status: ServiceStatus, now: number): string[] {
  const { consentRequests, health, verdict } = status;
  const ways = [
    ...waysOut(status),
    ...health.filter((issue) => isSaid(issue, verdict.is)).map(({ remedy }) => remedy),
  ].map((remedy) => `→ ${safe(remedy)}`);
  const [only, ...others] = consentRequests;
  if (only === undefined) return ways;
  return others.length === 0 && only.group === ''
    ? [...ways, '', ...renderChoices(only, now)]
    : [
        ...ways,
        ...consentRequests.flatMap((request) => ['', ...renderConsentRequest(request, now)]),
      ];
}

function waysOut({ verdict, systemDns }: ServiceStatus): string[] {
  switch (verdict.is) {
    case 'not-in-use':
      if (verdict.why === 'no-way') return ['Point programs at the addresses below.'];
      if (verdict.why === 'coverage-gap') return [lookCloser];
      return [systemDns?.trouble?.remedy ?? 'Protect this computer: sotto system take'];
    case 'partly':
      return [verdict.contested ? seeByWhat : lookCloser];
    case 'off':
    case 'paused':
      return ['End that with: sotto on'];
    case 'blocked':
      return verdict.by === 'no-path' ? [] : [seeByWhat];
    default:
      return [];
  }
}

const seeByWhat = 'See by what: sotto system status';
const lookCloser = 'What goes around Sotto, and how to fix it: sotto coverage';

/** The issue repeats the verdict, in more words, about all names and not about one group. */
function isSaid({ code, subject }: HealthIssue, verdict: ServiceStatus['verdict']['is']) {
  return subject === '' && issuesOf[verdict]?.includes(code) === true;
}

const issuesOf: Partial<Record<ServiceStatus['verdict']['is'], readonly HealthIssue['code'][]>> = {
  choose: ['asking'],
  unencrypted: ['exposed'],
  blocked: ['no-private-path', 'no-network'],
};

/** By which upstream, or why not, where the verdict does not say so already. */
function renderProtection({ verdict, protection }: ServiceStatus): string[] {
  const isSaid = ['choose', 'log-in', 'paused', 'off'].includes(verdict.is);
  return isSaid ? [] : [safe(protectionSentence(protection, dayAndMinute))];
}

function renderPlace({ network: { id, label, authenticated } }: ServiceStatus): string {
  const doubt = authenticated || id === noNetwork ? '' : '; no upstream has proved itself here yet';
  return `${safe(label)}${doubt}`;
}

/** Which policy holds, who set it, and the state of the groups of names with a policy of their own. */
function renderPolicies({ groups }: ServiceStatus): string[] {
  return groups.map((group) =>
    group.id === ''
      ? renderPolicy(group)
      : `${safe(group.id)} (${group.names.map(safe).join(', ')}): ${renderPolicy(group)}; ${safe(protectionSentence(group.state, dayAndMinute))}`,
  );
}

function renderPolicy({ policy, why, rungs, consent }: GroupStatus): string {
  const ladder = policy === 'refuse' ? '' : `, down to ${rungs.join(', ') || 'nothing'}`;
  const whoMay = policy === 'warn' ? `, ${consents[consent]}` : '';
  return `${policy}${ladder}${whoMay}, by ${safe(why)}`;
}

const consents: Record<GroupStatus['consent'], string> = {
  anyone: 'anyone who controls Sotto may allow it',
  administrator: 'an administrator may allow it',
};

/** "sotto config show" has the names; whoever may only observe is not told them. */
function renderLoosened({ setting, count }: Loosened): string {
  const counted = setting === 'earlyData' ? 'upstream' : 'name';
  const about = count === null ? '' : ` for ${sayCount(count, counted)}`;
  return `"${setting}"${about}: ${consequences[setting]}`;
}

const consequences: Record<Loosened['setting'], string> = {
  allowPrivate: 'responses may hold private addresses',
  forwardSpecial: 'special-use names leave this machine',
  earlyData: 'a copy of the first query of a connection can be sent to the server again',
  'systemDns.close': 'what goes past Sotto is never rejected',
};

function renderClear({ clear, rungs }: ServiceStatus, now: number): string[] {
  if (clear.length === 0) return ['nothing may leave in cleartext'];
  return [
    ...clear.flatMap((entry) => renderLedgerEntry(entry, now)),
    ...rungs.map(({ rung, upstream, state, lastError }) => {
      const error = lastError === null ? '' : `, last error: ${safe(lastError)}`;
      return `  ${rung} to ${safe(upstream)}: ${safe(state)}${error}`;
    }),
  ];
}

function strength(verdict: ServiceStatus['verdict']['is']): Paint {
  if (verdict === 'protected') return 'green';
  return verdict === 'blocked' || verdict === 'unencrypted' ? 'red' : 'yellow';
}

/** `whole`: with how they are kept warm, and their cost. */
export function renderUpstreams(upstreams: readonly UpstreamStatus[], whole = false): string[] {
  if (upstreams.length === 0) return ['No upstream is configured.'];
  const rows = upstreams.map((upstream) => [
    safe(upstream.id),
    upstream.transport,
    safe(upstream.address ?? '–'),
    upstream.restingMs >= 1000 ? `resting ${sayDuration(upstream.restingMs)}` : upstream.state,
    renderTls(upstream),
    upstream.rttMs === null ? '–' : sayLatency(upstream.rttMs),
    String(upstream.answered),
    String(upstream.failed),
    ...(whole ? [renderWarmth(upstream), renderUpstreamCost(upstream)] : []),
    safe(upstream.lastError?.text ?? ''),
  ]);
  return renderTable(
    [
      { title: 'upstream' },
      { title: 'by' },
      { title: 'address' },
      { title: 'state' },
      { title: 'tls' },
      { title: 'latency', align: 'right' },
      { title: 'answered', align: 'right' },
      { title: 'failed', align: 'right' },
      ...(whole ? [{ title: 'kept warm' }, { title: 'cost' }] : []),
      { title: 'last error' },
    ],
    rows,
  );
}

/** "92.7% reused, handshake 31.0 ms, 9.0 kB → 24.2 kB": the mean of handshakes; the counts are in --json. */
export function renderUpstreamCost({ cost }: Pick<UpstreamStatus, 'cost'>): string {
  if (cost === null) return '–';
  const { reused, resumed, cold, queued, handshakeMeanMs, octets } = cost;
  const asked = reused + resumed + cold + queued;
  const parts = [
    ...(asked === 0 ? [] : [`${sayShare(shareOf(reused, asked))} reused`]),
    ...(handshakeMeanMs === null ? [] : [`handshake ${sayLatency(handshakeMeanMs)}`]),
    ...(octets.sent + octets.received === 0
      ? []
      : [`${sayOctets(octets.sent)} → ${sayOctets(octets.received)}`]),
  ];
  return parts.join(', ') || '–';
}

/** How long the upstream keeps idle connections, and how many connections of this hour were opened ahead of a query. */
function renderWarmth({ warmth }: UpstreamStatus): string {
  if (warmth === null) return '–';
  const { idleLimitMs, idleLimitBy, dials, budget, rests } = warmth;
  if (rests === 'off') return 'no';
  const limit = idleLimitMs === null ? '' : `, ${idleLimitBy} ${sayDuration(idleLimitMs)}`;
  return `${dials} of ${budget} an hour${limit}${rests === null ? '' : `, rests: ${restWords[rests]}`}`;
}

const restWords: Record<Exclude<NonNullable<Warmth['rests']>, 'off'>, string> = {
  battery: 'on battery',
  idle: 'nobody asks',
  unwanted: 'not wanted there',
  budget: 'budget spent',
};

function renderTls({ tls }: UpstreamStatus): string {
  if (tls === null) return '–';
  const proof = tls.pinned ? ['pinned'] : tls.name === null ? [] : ['name checked'];
  return [`TLS ${safe(tls.version)}`, ...proof].join(', ');
}

function renderOutcomes({ outcomes, cache }: ServiceStatus): string {
  const counted = Object.entries(outcomes).filter(([, count]) => count > 0);
  const said = counted.map(([outcome, count]) => `${count} ${outcome}`);
  const none = 'none yet';
  const kept = cache.entries === 0 ? 'no response' : sayCount(cache.entries, 'response');
  return `${said.length === 0 ? none : said.join(', ')}; ${kept} in the cache`;
}

function renderLedgerEntry(entry: LedgerEntry, now: number): string[] {
  const end =
    entry.until === null
      ? 'until it is ended'
      : `${sayDuration(Math.max(0, entry.until - now))} left`;
  const about = entry.rule === '' ? entry.group : entry.rule;
  const rule = about === '' ? '' : ` ${safe(about)}`;
  const since = dayAndMinute(entry.since);
  return [
    `${entry.class}${rule}: ${entry.count ?? 'nobody knows how many'} in cleartext since ${since}, ${end}, by ${safe(entry.who)}`,
    ...(entry.reason === '' ? [] : [`  ${safe(entry.reason)}`]),
  ];
}

function renderLog({ log, events }: ServiceStatus): string {
  const size = `${sayCount(log.rows, 'query', 'queries')}, ${sayOctets(log.octets)}`;
  const lost = log.lost + events.dropped;
  const gaps = lost === 0 ? '' : `, ${lost} not recorded`;
  if (log.state === 'off') return `off${gaps}`;
  const reason = log.reason === null ? '' : ` (${safe(log.reason)})`;
  return `${log.state === 'stopped' ? `stopped${reason}, ` : ''}${size}${gaps}`;
}

function renderIssue(issue: HealthIssue, terminal: Terminal): string[] {
  const { severity, title, remedy } = issue;
  const paint = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'bold';
  return [
    '',
    terminal.paint(paint, safe(title)),
    ...linesOf(issue).map((line) => `  ${safe(line)}`),
    `  → ${safe(remedy)}`,
  ];
}

/** Errors in files stand one a line. In every other text a line break may come from a stranger. */
function linesOf({ code, text, says }: HealthIssue): string[] {
  if (code !== 'settings-invalid' && code !== 'policy-file-invalid') return [text];
  const errors = inEnglish(says);
  return says.length === 0 || !text.endsWith(errors)
    ? text.split('\n')
    : [text.slice(0, -errors.length).trim(), ...says.map((error) => inEnglish(error))];
}
