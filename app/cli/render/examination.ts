/** How an upstream behaves on a second connection, one line a query. What the server does not say is left out. */

import type { Examination } from '../../contract/probing/probe-report.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { sayCount, sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { padEnd } from '../terminal/terminal-text.ts';
import { renderFastOpen } from './probe.ts';

const label = 12;

export function renderExamination(found: Examination): string[] {
  const lines: Record<string, string> = {
    resumption: sayResumption(found),
    'round trip': `${sayLatency(found.roundTripMs)} of the path${sayAnswer(found)}`,
    keepalive: sayKeepalive(found),
    padding: sayPadding(found),
    together: sayTogether(found),
    dnssec: sayDnssec(found),
    ...sayResolver(found),
  };
  return [
    ...Object.entries(lines).map(([what, text]) => `${padEnd(what, label)}${text}`),
    ...renderFastOpen(found),
  ];
}

function sayResumption({ tickets, resumed, roundTrips, handshakeMs }: Examination): string {
  const given = tickets === 0 ? 'no ticket' : sayCount(tickets, 'ticket');
  const opened = `opened in ${sayLatency(handshakeMs)}, ${sayCount(roundTrips, 'round trip')}`;
  return `${given}; the second connection was ${resumed ? 'resumed' : 'not resumed'}, ${opened}`;
}

function sayAnswer({ answerMs }: Examination): string {
  return answerMs === null ? '' : `, a response in ${sayLatency(answerMs)}`;
}

function sayKeepalive({ keepaliveMs }: Examination): string {
  if (keepaliveMs === null) return 'does not say how long a connection may be idle';
  return keepaliveMs === 0 ? 'wants connections closed' : `${sayDuration(keepaliveMs)} idle`;
}

function sayPadding({ padding }: Examination): string {
  if (padding === null) return 'does not say: it answered nothing';
  if (!padding.padded) return 'none: lengths tell something about responses';
  if (padding.block === null) return 'to no usual length';
  const recommended = padding.block === 468 ? ', as recommended' : '';
  return `to multiples of ${padding.block} octets${recommended}`;
}

function sayTogether({ together }: Examination): string {
  if (together === null) return 'does not say: it answered nothing';
  return {
    'out-of-order': 'several queries at once, answered as they are ready',
    'in-order':
      'several queries at once, answered; whether a slow one holds up others was not seen',
    some: 'of several queries at once, some were not answered',
  }[together];
}

function sayDnssec({ dnssec }: Examination): string {
  if (dnssec === null) return 'does not say: it knows nothing of the root';
  return [
    dnssec.authentic ? 'calls responses authentic' : 'does not call a signed response authentic',
    dnssec.signed ? 'passes signatures on' : 'passes no signatures on',
    ...(dnssec.checkingDisabled ? ['lets clients check'] : []),
  ].join(', ');
}

/** 15 to 17: blocked, censored, filtered (RFC 8914). */
const filtering = new Set([15, 16, 17]);

function sayResolver({ resolver }: Examination): Record<string, string> {
  if (resolver === null) return { 'of itself': 'does not say (RESINFO)' };
  const { minimises, extendedErrors, url } = resolver;
  const filters = extendedErrors?.some((code) => filtering.has(code)) === true;
  const said = [
    minimises ? 'minimises names' : 'does not say that it minimises names',
    filters ? 'may block or filter' : 'does not say whether it filters',
  ];
  return { 'of itself': said.join(', '), ...(url === null ? {} : { 'more at': safe(url) }) };
}
