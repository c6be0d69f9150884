import { expect, test } from 'vitest';
import { dhclientAddress, networkdAddress } from './api-address.ts';
import { leasedAddress } from './network-manager.ts';

const lease = (name: string, option: string) =>
  `lease {\n  interface "${name}";\n  fixed-address 192.0.2.7;\n  ${option}\n  expire 4 2026/11/26 02:00:00;\n}\n`;
const address = 'https://portal.example/api';
const octets = [...address].map((letter) => letter.charCodeAt(0).toString(16)).join(':');

test.each([
  [`option default-url "${address}";`, address],
  [`option unknown-114 "${address}";`, address],
  [`option unknown-114 ${octets};`, address],
  ['option domain-name "hotel.example";', null],
  ['option unknown-114 not:octets;', null],
  [`option unknown-114 ${octets}:0;`, address],
  [`option unknown-114 ${octets}:ff;`, null],
])('dhclient wrote %s', (option, found) => {
  expect(dhclientAddress(lease('eth0', option), 'eth0')).toBe(found);
});

test('the last lease of the interface counts, and of no other', () => {
  const text = [
    lease('eth0', 'option default-url "https://old.example/";'),
    lease('eth0', `option default-url "${address}";`),
    lease('wlan0', 'option default-url "https://other.example/";'),
  ].join('');
  expect(dhclientAddress(text, 'eth0')).toBe(address);
  expect(dhclientAddress(text, 'eth1')).toBeNull();
  expect(
    dhclientAddress('lease {\n interface "eth0";\n option default-url "cut', 'eth0'),
  ).toBeNull();
  const without = text + lease('eth0', '');
  expect(dhclientAddress(without, 'eth0'), 'a network that gives none').toBeNull();
});

test('networkd writes it among the link’s state', () => {
  const text = `ADMIN_STATE=configured\nDNS=192.0.2.1\nCAPTIVE_PORTAL=${address}\nLLMNR=no\n`;
  expect(networkdAddress(text)).toBe(address);
  expect(networkdAddress('ADMIN_STATE=configured\n')).toBeNull();
  expect(networkdAddress('NO_CAPTIVE_PORTAL=x\n')).toBeNull();
});

test.each([
  [{ ip_address: '192.0.2.7', default_url: address }, address],
  [[['default_url', address]], address],
  [{ captive_portal: address }, address],
  [{ dhcp6_unknown_103: '"https://a.example/api"' }, 'https://a.example/api'],
  [{ unknown_114: '68:74:74:70:73:3a:2f:2f:61:2f' }, 'https://a/'],
  [{ default_url: 7 }, null],
  [{}, null],
  [null, null],
  ['nonsense', null],
])('NetworkManager has %j', (options, found) => {
  expect(leasedAddress(options)).toBe(found);
});
