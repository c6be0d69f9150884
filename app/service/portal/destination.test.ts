import { expect, test } from 'vitest';
import { isOpenAddress, isOpenPort } from './destination.ts';

const whereabouts = {
  url: 'http://portal.example:8081/login',
  place: {
    gateways: ['10.1.0.1', 'fe80::1'],
    own: ['10.1.0.7', '2001:db8::7', '198.51.100.9'],
    elsewhere: [{ ip: '192.168.5.2', prefixLength: 24 }],
  },
};
const portal = 'portal.example';

test.each([
  ['cdn.example', 80, true],
  ['cdn.example', 443, true],
  ['cdn.example', 8081, false],
  ['cdn.example', 22, false],
  [portal, 8081, true],
  [portal, 8080, false],
  [portal, 25, false],
  ['10.1.0.1', 8081, true],
  ['10.1.0.1', 53, false],
])('port of %s: %i', (host, port, open) => {
  expect(isOpenPort(host, port, whereabouts)).toBe(open);
});

test.each([
  ['cdn.example', '203.0.112.5', true],
  ['cdn.example', '2a00::5', true],
  ['cdn.example', '10.1.0.1', true],
  ['cdn.example', 'fe80::1', true],
  ['cdn.example', '10.1.0.2', false],
  ['cdn.example', '172.16.0.1', false],
  ['cdn.example', '192.168.77.1', false],
  ['cdn.example', '100.64.0.1', false],
  ['cdn.example', '169.254.169.254', false],
  ['cdn.example', '192.0.2.1', false],
  ['cdn.example', 'fd00::1', false],
  ['cdn.example', 'fe80::2', false],
  ['cdn.example', '::ffff:10.1.0.2', false],
  ['cdn.example', '64:ff9b::a01:2', false],
  ['cdn.example', '2002:a01:2::1', false],
  ['cdn.example', '224.0.0.1', false],
  ['cdn.example', '255.255.255.255', false],
  [portal, '10.1.0.2', true],
  [portal, '172.16.0.1', true],
  [portal, 'fd00::1', true],
  [portal, '192.168.5.9', false],
  [portal, '127.0.0.1', false],
  [portal, '127.1.2.3', false],
  [portal, '::1', false],
  [portal, '::ffff:127.0.0.1', false],
  [portal, '64:ff9b::7f00:1', false],
  [portal, '0.0.0.0', false],
  [portal, '::', false],
  [portal, '10.1.0.7', false],
  [portal, '2001:db8::7', false],
  [portal, '198.51.100.9', false],
])('%s at %s', (host, ip, open) => {
  expect(isOpenAddress(host, ip, whereabouts)).toBe(open);
});

test.each([53, 853, 5353])(
  'nobody is asked for names at port %i, whatever a portal calls its own',
  (port) => {
    expect(isOpenPort(portal, port, { ...whereabouts, url: `http://${portal}:${port}/` })).toBe(
      false,
    );
  },
);
