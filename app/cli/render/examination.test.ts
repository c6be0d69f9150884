import { expect, test } from 'vitest';
import type { Examination } from '../../contract/probing/probe-report.ts';
import { renderExamination } from './examination.ts';

const telling: Examination = {
  tickets: 2,
  resumed: true,
  roundTrips: 2,
  handshakeMs: 38,
  fastOpen: 'off',
  roundTripMs: 19,
  answerMs: 21.5,
  keepaliveMs: 20_000,
  padding: { padded: true, block: 468 },
  together: 'out-of-order',
  dnssec: { authentic: true, signed: true, checkingDisabled: true },
  resolver: { minimises: true, extendedErrors: [15, 16], url: 'https://dns.example/' },
};

test('what a server tells is said in words', () => {
  expect(renderExamination(telling)).toEqual([
    'resumption  2 tickets; the second connection was resumed, opened in 38.0 ms, 2 round trips',
    'round trip  19.0 ms of the path, a response in 21.5 ms',
    'keepalive   20 s idle',
    'padding     to multiples of 468 octets, as recommended',
    'together    several queries at once, answered as they are ready',
    'dnssec      calls responses authentic, passes signatures on, lets clients check',
    'of itself   minimises names, may block or filter',
    'more at     https://dns.example/',
  ]);
});

test('nobody is called bad for silence', () => {
  const silent = renderExamination({
    ...telling,
    tickets: 0,
    resumed: false,
    answerMs: null,
    keepaliveMs: null,
    padding: null,
    together: null,
    dnssec: null,
    resolver: null,
  }).join('\n');
  expect(silent.match(/does not say/g)).toHaveLength(5);
  expect(silent).toContain('no ticket; the second connection was not resumed');
});
