import { expect, test } from 'vitest';
import { someSnapshot } from '../network/fake-network-watch.ts';
import type { NetworkInterface } from '../network/kernel-network.ts';
import type { LinkResolvers, NetworkSnapshot } from '../network/network-snapshot.ts';
import { LinkChooser, searchIn } from './links-to-take.ts';

const tells = (name: string, ...domains: string[]): LinkResolvers => ({
  interface: name,
  servers: ['10.0.0.1:53'],
  domains: domains.map((domain) => ({ name: domain, routeOnly: true })),
  vpn: false,
  source: 'resolved',
});

function network(links: LinkResolvers[], ...more: Partial<NetworkInterface>[]): NetworkSnapshot {
  const snapshot = someSnapshot({ links });
  const [eth0] = snapshot.interfaces;
  if (eth0 === undefined) throw new Error('there is a link');
  const interfaces = more.map((one, at) => ({ ...eth0, index: 10 + at, ...one }));
  return { ...snapshot, interfaces: [eth0, ...interfaces] };
}

const names = (chosen: { links: { name: string }[] }) => chosen.links.map(({ name }) => name);

test('links that lead out or were told resolvers, and no others', () => {
  const snapshot = network(
    [tells('wlan0'), tells('down0'), tells('lo')],
    { name: 'wlan0' },
    { name: 'silent0' },
    { name: 'down0', running: false },
    { name: 'lo', kind: 'loopback' },
  );
  expect(new LinkChooser().choose(snapshot, 0)).toEqual({
    links: [
      { index: 2, name: 'eth0', search: null },
      { index: 10, name: 'wlan0', search: null },
    ],
    askAgainAt: null,
  });
});

test('a tunnel is left alone until it has told nothing new for two seconds, and kept from then on', () => {
  const chooser = new LinkChooser();
  const tun0 = { name: 'tun0', kind: 'tunnel' as const };
  const at = (now: number, ...links: LinkResolvers[]) => chooser.choose(network(links, tun0), now);
  expect(at(0, tells('tun0'))).toMatchObject({ askAgainAt: 2000 });
  expect(at(1500, tells('tun0', 'corp.example'))).toMatchObject({ askAgainAt: 3500 });
  expect(names(at(2500, tells('tun0', 'corp.example')))).toEqual(['eth0']);
  expect(names(at(3500, tells('tun0', 'corp.example')))).toEqual(['eth0', 'tun0']);
  expect(names(at(3600, tells('tun0', 'other.example')))).toEqual(['eth0', 'tun0']);
  expect(names(at(3700))).toEqual(['eth0']);
  expect(at(3800, tells('tun0'))).toMatchObject({ askAgainAt: 5800 });
});

test('what NetworkManager would have searched is searched, of names that can be said', () => {
  const domain = (name: string, routeOnly = false) => ({ name, routeOnly });
  const manager = (...domains: LinkResolvers['domains']) => ({ servers: ['10.0.0.1:53'], domains });
  const alone: LinkResolvers = {
    ...tells('wlan0'),
    ...manager(domain('lan.example')),
    source: 'network-manager',
  };
  const names = [
    domain('corp.example'),
    domain('routed.example', true),
    domain('a\nb'),
    domain(''),
  ];
  expect(searchIn([tells('eth0', 'corp.example')])).toBeNull();
  expect(searchIn([alone, { ...tells('eth0'), byManager: manager(...names, ...names) }])).toEqual([
    'lan.example',
    'corp.example',
  ]);
  expect(searchIn([{ ...tells('eth0'), byManager: manager() }])).toEqual([]);
  const many = Array.from({ length: 50 }, (_, at) => domain(`${'x'.repeat(at)}.example`));
  expect(searchIn([{ ...alone, domains: many }])?.join('').length).toBeLessThanOrEqual(1024);
});
