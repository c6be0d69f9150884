/** A response and what it cost, for a person. */
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { renderTable } from '../terminal/table.ts';

export function renderMessage(message: DnsMessage): string[] {
  const { question, edns } = message;
  const asked = question ? `${safe(question.name)}  ${safe(question.type)}  ` : '';
  const lines = [`${asked}${safe(message.rcode)}  (${message.flags.map(safe).join(' ')})`];
  for (const section of ['answer', 'authority'] as const) {
    if (message[section].length === 0) continue;
    lines.push(`${section}:`, ...renderRecords(message[section]));
  }
  for (const { code, text } of edns?.extendedErrors ?? []) {
    lines.push(`extended error ${code}${text === '' ? '' : `: ${safe(text)}`}`);
  }
  return lines;
}

function renderRecords(records: DnsMessage['answer']): string[] {
  const rows = records.map(({ name, ttl, type, data }) => [name, `${ttl} s`, type, data].map(safe));
  const [, ...lines] = renderTable(
    [{ title: '' }, { title: '', align: 'right' }, { title: '' }, { title: '' }],
    rows,
  );
  return lines.map((line) => `  ${line}`);
}

const prepositions: Partial<Record<QueryEvent['outcome'], string>> = {
  bypassed: 'to',
  cached: 'from',
  stale: 'from',
};

/** "resumed, 2 round trips, handshake 38 ms, 130 → 470 octets" */
export function sayCost(event: QueryEvent): string {
  const { cost, roundTrips, handshakeMs, sentOctets, receivedOctets } = event;
  return [
    cost,
    `${roundTrips} round ${roundTrips === 1 ? 'trip' : 'trips'}`,
    ...(handshakeMs === 0 ? [] : [`handshake ${sayLatency(handshakeMs)}`]),
    ...(sentOctets + receivedOctets === 0 ? [] : [`${sentOctets} → ${receivedOctets} octets`]),
  ].join(', ');
}

/** How the query was answered, what it cost, and where the time went. */
export function renderCost(event: QueryEvent): string[] {
  const { outcome, upstream, transport, cost, ms, clear, reason, rule, stages } = event;
  const parts: string[] = [outcome];
  if (upstream !== '') parts.push(`${prepositions[outcome] ?? 'by'} ${safe(upstream)}`);
  if (transport !== 'none') parts.push(`over ${transport}`);
  if (cost !== 'none') parts.push(`(${sayCost(event)})`);
  parts.push(`in ${sayLatency(ms)}`);
  const times = Object.entries(stages).map(([stage, time]) => `${stage} ${sayLatency(time)}`);
  return [
    parts.join(' '),
    `  ${times.join('   ')}`,
    ...(clear === 'none' ? [] : [`  this query went in cleartext (${clear})`]),
    ...(rule === '' ? [] : [`  rule: ${safe(rule)}`]),
    ...(reason === '' ? [] : [`  reason: ${safe(reason)}`]),
  ];
}
