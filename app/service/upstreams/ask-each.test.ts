import { expect, test } from 'vitest';
import type { DnsMessage } from '../../contract/dns/dns-message.ts';
import { differences } from './ask-each.ts';

function message(rcode: string, ...records: string[]): DnsMessage {
  const answer = records.map((text, index) => {
    const [type = '', data = ''] = text.split(' ');
    return { name: 'a.example', type, class: 'IN', ttl: 300 - index, data };
  });
  const rest = { flags: [], question: null, authority: [], additional: [], edns: null };
  return { id: 1, rcode, answer, ...rest };
}

const one = message('NOERROR', 'A 192.0.2.1', 'A 192.0.2.2');

test.each([
  ['the same in another order', message('NOERROR', 'A 192.0.2.2', 'A 192.0.2.1'), []],
  ['signed', message('NOERROR', 'A 192.0.2.1', 'A 192.0.2.2', 'RRSIG x'), []],
  [
    'another address',
    message('NOERROR', 'A 192.0.2.1', 'A 192.0.2.9'),
    ['without A 192.0.2.2', 'with A 192.0.2.9'],
  ],
  [
    'denied',
    message('NXDOMAIN'),
    ['NXDOMAIN instead of NOERROR', 'without A 192.0.2.1, A 192.0.2.2'],
  ],
])('%s', (_what, other, expected) => {
  expect(differences(one, other)).toEqual(expected);
});
