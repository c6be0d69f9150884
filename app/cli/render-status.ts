/** `sotto status`: the state's sentence first, then what stands behind it, then what is wrong and what to do. */
import type { LedgerEntry } from '../contract/ledger-entry.ts';
import { protectionSentence } from '../contract/protection-state.ts';
import type { GroupStatus, ServiceStatus, UpstreamStatus } from '../contract/service-status.ts';
import { dayAndMinute } from './clock.ts';
import { sayDuration, sayMilliseconds } from './duration.ts';
import { renderAsk } from './render-ask.ts';
import { renderTable } from './table.ts';
import type { Paint, Terminal } from './terminal.ts';
import { safe } from './terminal-text.ts';

export function renderStatus(status: ServiceStatus, terminal: Terminal, now: number): string[] {
  const { protection, sentence, version, pid, startedAt, listening } = status;
  return [
    terminal.paint(strength(protection.state), safe(sentence)),
    '',
    ...renderUpstreams(status.upstreams),
    '',
    ...renderPolicies(status),
    `Network     ${safe(status.network.label)}${status.network.authenticated ? '' : ', which no upstream has vouched for'}`,
    `Listening   ${listening.length === 0 ? 'nowhere' : listening.map(safe).join(', ')}`,
    `Answered    ${renderOutcomes(status)}`,
    `Clear       ${status.clear.length === 0 ? 'no permission to send in clear is open' : ''}`.trimEnd(),
    ...status.clear.map((entry) => `  ${renderLedgerEntry(entry, now)}`),
    ...status.rungs.map((rung) => `  ${renderRung(rung)}`),
    ...status.asks.flatMap((ask) => ['', ...renderAsk(ask, now)]),
    ...(status.asks.length === 0 ? [] : ['']),
    `History     ${renderLog(status)}`,
    `Service     ${safe(version)}, pid ${pid}, running for ${sayDuration(now - startedAt)}`,
    ...renderHealth(status, terminal),
  ];
}

/** Which policy holds, by whose word, and how the groups of names fare that have their own. */
function renderPolicies({ groups }: ServiceStatus): string[] {
  const [first, ...others] = groups;
  if (first === undefined) return [];
  return [
    `Policy      ${renderPolicy(first)}`,
    ...others.map(
      (group) =>
        `  ${safe(group.id)} (${group.names.map(safe).join(', ')}): ${renderPolicy(group)}; ${safe(protectionSentence(group.state, dayAndMinute))}`,
    ),
  ];
}

function renderPolicy({ policy, why, rungs }: GroupStatus): string {
  const ladder = policy === 'refuse' ? '' : `, down to ${rungs.join(', ') || 'nothing'}`;
  return `${policy}${ladder}, by ${safe(why)}`;
}

function renderRung({ rung, upstream, state, lastError }: ServiceStatus['rungs'][number]): string {
  const error = lastError === null ? '' : `: ${safe(lastError)}`;
  return `rung ${rung} of ${safe(upstream)}: ${safe(state)}${error}`;
}

function strength(state: ServiceStatus['protection']['state']): Paint {
  if (state === 'private') return 'green';
  return state === 'refusing' || state === 'exposed' ? 'red' : 'yellow';
}

export function renderUpstreams(upstreams: readonly UpstreamStatus[]): string[] {
  if (upstreams.length === 0) return ['No upstream is configured.'];
  const rows = upstreams.map((upstream) => [
    safe(upstream.id),
    upstream.transport,
    safe(upstream.address ?? '–'),
    upstream.restingMs > 0 ? `resting ${sayDuration(upstream.restingMs)}` : upstream.state,
    renderTls(upstream),
    upstream.rttMs === null ? '–' : sayMilliseconds(upstream.rttMs),
    String(upstream.answered),
    String(upstream.failed),
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
      { title: 'last error' },
    ],
    rows,
  );
}

function renderTls({ tls }: UpstreamStatus): string {
  if (tls === null) return '–';
  const proof = tls.pinned ? ['pinned'] : tls.name === null ? [] : ['name checked'];
  return [`TLS ${safe(tls.version)}`, ...proof].join(', ');
}

function renderOutcomes({ outcomes, cache }: ServiceStatus): string {
  const counted = Object.entries(outcomes).filter(([, count]) => count > 0);
  const said = counted.map(([outcome, count]) => `${count} ${outcome}`);
  const none = 'nothing has been asked yet';
  return `${said.length === 0 ? none : said.join(', ')}; ${cache.entries} answers in the cache`;
}

function renderLedgerEntry(entry: LedgerEntry, now: number): string {
  const end =
    entry.until === null
      ? 'until it is ended'
      : `${sayDuration(Math.max(0, entry.until - now))} left`;
  const about = entry.rule === '' ? entry.group : entry.rule;
  const rule = about === '' ? '' : ` ${safe(about)}`;
  const why = entry.reason === '' ? '' : `: ${safe(entry.reason)}`;
  const since = dayAndMinute(entry.since);
  return `${entry.class}${rule}, ${entry.count ?? 'nobody knows how many'} in clear since ${since}, ${end}, by ${safe(entry.who)}${why}`;
}

function renderLog({ log, events }: ServiceStatus): string {
  const size = `${log.rows} questions, ${(log.octets / 1024 / 1024).toFixed(1)} MB`;
  const lost = log.lost + events.dropped;
  const gaps = lost === 0 ? '' : `, ${lost} not recorded`;
  if (log.state === 'off') return `off${gaps}`;
  const reason = log.reason === null ? '' : ` (${safe(log.reason)})`;
  return `${log.state === 'stopped' ? `stopped${reason}, ` : ''}${size}${gaps}`;
}

function renderHealth({ health }: ServiceStatus, terminal: Terminal): string[] {
  return health.flatMap(({ code, severity, title, text, remedy }) => {
    const paint = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'bold';
    return [
      '',
      terminal.paint(paint, safe(title)),
      ...linesOf(code, text).map((line) => `  ${line}`),
      `  → ${safe(remedy)}`,
    ];
  });
}

/** Settings have their errors one a line; in everything else a line break is a stranger's. */
function linesOf(code: ServiceStatus['health'][number]['code'], text: string): string[] {
  const severalLines = code === 'settings-invalid' || code === 'policy-file-invalid';
  return (severalLines ? text.split('\n') : [text]).map(safe);
}
