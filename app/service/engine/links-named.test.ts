import { expect, test } from 'vitest';
import { someEffective } from '../protection/effective-fixture.ts';
import { compileConfig } from './compile-config.ts';
import { linksNamed } from './links-named.ts';

const { settings } = someEffective({
  listen: ['127.0.0.1:5300', '[fe80::2%late]:5300'],
  upstreams: [
    {
      id: 'a',
      transport: 'dot',
      address: '[fe80::1%a0]:853',
      name: 'a.test',
      proxy: 'socks5://[fe80::1%p0]',
    },
    { id: 'e', transport: 'encdns', address: '[fe80::1%e0]:53', zone: 'e.example', key: 'k' },
    { id: 'n', transport: 'dot', address: '2001:db8::1', name: 'n.test' },
  ],
});

test('every address of a configuration counts, and only its links', () => {
  const config = compileConfig({
    settings,
    certificates: new Map(),
    identities: new Map(),
    notInCleartext: new Set(),
    mode: { direct: { class: 'off', servers: ['[fe80::1%d0]:53'] } },
    network: 'here',
    networkChanges: 0,
    leases: [],
    rules: [
      {
        rule: 'corp.example',
        names: { below: ['corp.example'], alone: [], singleLabels: false },
        list: null,
        to: ['192.0.2.9:53', '[fe80::1%b0]:53'],
        class: 'bypass',
        when: null,
      },
    ],
    refuseFor: [],
    groups: [],
    forwarders: [],
    networkResolvers: [],
    onBattery: false,
    portal: { resolvers: ['[fe80::1%p1]:53'], probes: [] },
  });
  const interfaces = ['unnamed', 'a0', 'b0', 'd0', 'e0', 'p0', 'p1'].map((name, index) => ({
    name,
    index,
  }));
  expect(linksNamed(config, interfaces)).toEqual(
    new Map([
      ['late', null],
      ['a0', 1],
      ['b0', 2],
      ['d0', 3],
      ['e0', 4],
      ['p0', 5],
      ['p1', 6],
    ]),
  );
});
