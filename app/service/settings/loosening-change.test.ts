import { expect, test } from 'vitest';
import { loosensProtection } from './loosening-change.ts';

const a = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' };
const b = { id: 'b', transport: 'dot', address: '192.0.2.2', name: 'b.test' };
const tor = { ...b, id: 'tor', proxy: 'socks5://127.0.0.1:9050' };
const boxes = { id: 'boxes', transport: 'encdns', address: '192.0.2.3' };
const clear = { id: 'c', transport: 'udp', address: '192.0.2.3' };
const rule = { suffix: 'corp.example', to: ['192.0.2.9', '192.0.2.10'] };
const when = { user: ['a', 'b'] };
const corp = { names: ['corp.example'], downgrade: 'warn' };

test.each([
  ['downgrade', 'refuse', 'warn', true],
  ['downgrade', 'fallback', 'refuse', false],
  ['rungs', ['tcp'], ['tcp', 'network'], true],
  ['rungs', ['tcp', 'udp'], ['udp'], true],
  ['rungs', ['tcp', 'udp'], ['tcp'], false],
  ['rungs', ['tcp', 'udp'], ['udp', 'tcp'], false],
  ['rungs', ['tcp', 'udp', 'unauthenticated'], ['tcp', 'udp'], true],
  ['rungs', ['unauthenticated', 'network'], ['unauthenticated'], false],
  ['rungs', ['unauthenticated', 'tcp'], [], false],
  ['consent', 'administrator', 'anyone', true],
  ['consent', 'anyone', 'administrator', false],
  ['upstreams', [a, b], [b, a], false],
  ['upstreams', [a, b], [b], false],
  ['upstreams', [tor, a, b], [a, tor, b], true],
  ['upstreams', [boxes, a], [a, boxes], true],
  ['upstreams', [a, tor, b], [tor, b, a], false],
  ['upstreams', [a, tor, b], [a, b, tor], true],
  ['upstreams', [tor, { ...a, group: 'g' }], [{ ...a, group: 'g' }, tor], false],
  ['upstreams', [tor, boxes], [boxes, tor], false],
  ['upstreams', [boxes, a], [a], false],
  ['upstreams', [a], [a, b], true],
  ['upstreams', [a], [{ ...a, name: 'other.test' }], true],
  ['upstreams', [{ ...a, certificatePins: ['x'] }], [a], true],
  ['upstreams', [a, clear], [clear], true],
  ['bypass', [rule], [], true],
  ['bypass', [{ ...rule, downgrade: true }], [], false],
  ['bypass', [], [rule], true],
  ['bypass', [rule], [{ ...rule, to: ['192.0.2.9'] }], false],
  ['bypass', [rule], [{ ...rule, to: ['192.0.2.99'] }], true],
  ['bypass', [rule], [{ ...rule, when }], true],
  ['bypass', [rule], [{ ...rule, when }, rule], false],
  ['bypass', [{ ...rule, when }], [rule], true],
  ['bypass', [{ ...rule, when }], [{ ...rule, when: { ...when, unit: ['a.service'] } }], true],
  ['bypass', [{ ...rule, when }], [{ ...rule, when: { user: ['a'] } }], true],
  ['bypass', [{ ...rule, when }], [{ ...rule, when: { user: ['a', 'c'] } }], true],
  ['bypass', [{ ...rule, when }], [{ ...rule, when: { unit: ['a.service'] } }], true],
  ['refuseFor', [], [when], false],
  ['refuseFor', [when], [], true],
  ['refuseFor', [when], [{ user: ['a', 'b', 'c'] }], false],
  ['refuseFor', [when], [{ user: ['a'] }], true],
  ['refuseFor', [when], [{ ...when, network: ['x'] }], true],
  ['groups', { corp }, { corp: { ...corp, when } }, true],
  ['groups', { corp: { ...corp, when } }, { corp }, true],
  ['groups', { corp: { ...corp, when } }, { corp: { ...corp, when, downgrade: 'refuse' } }, false],
  ['groups', { corp }, { corp: { ...corp, downgrade: 'refuse' } }, false],
  ['groups', { corp }, { corp: { ...corp, downgrade: 'fallback' } }, true],
  ['groups', { corp }, {}, true],
  ['allowPrivate', [], ['home.example'], true],
  ['allowPrivate', ['home.example'], [], false],
  ['systemResolvers', 'auto', ['192.0.2.53'], true],
  ['listen', ['127.0.0.1:53'], ['127.0.0.1:5300', '[::1]:5300'], false],
  ['listen', ['127.0.0.1:53'], ['0.0.0.0:53'], true],
  ['queryLog.mode', 'full', 'off', false],
  ['queryLog.mode', 'counts', 'full', true],
  ['metrics.listen', 'off', '127.0.0.1:9653', true],
  ['metrics.listen', '127.0.0.1:9653', 'off', false],
  ['metrics.collector', 'https://a.test/', 'https://b.test/', true],
  ['dnstap.socket', '/run/a', '/run/a', false],
  ['dnstap.socket', 'off', '/run/a', true],
  ['cache.entries', 1, 1000, false],
  ['connections.postQuantum', 'require', 'prefer', true],
  ['connections.postQuantum', 'prefer', 'off', true],
  ['connections.postQuantum', 'off', 'prefer', false],
  ['connections.postQuantum', 'off', 'require', true],
  ['connections.postQuantum', 'prefer', 'require', true],
  ['strategy', 'ordered', 'fastest', true],
  ['strategy', 'fastest', 'ordered', false],
  ['strategy', 'race', 'fastest', false],
] as const)('%s from %j to %j: %s', (key, before, after, loosens) => {
  expect(loosensProtection(key, before, after)).toBe(loosens);
});
