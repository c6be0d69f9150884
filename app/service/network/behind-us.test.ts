import { expect, test } from 'vitest';
import { type HeldLink, linksBehindUs, resolversBehindUs } from './behind-us.ts';
import { someSnapshot } from './fake-network-watch.ts';
import type { LinkResolvers } from './network-snapshot.ts';

const ours = '127.0.0.1:5300';
const domain = (name: string, routeOnly = false) => ({ name, routeOnly });

function link(name: string | null, servers: string[], ...domains: LinkResolvers['domains']) {
  return { interface: name, servers, domains, vpn: false, source: 'resolved' as const };
}

const held: HeldLink[] = [
  {
    interface: 'eth0',
    servers: [ours],
    before: { servers: ['192.0.2.1:53'], domains: [domain('corp.example')] },
  },
];

test('a link that names us tells what it told before', () => {
  const taken = link('eth0', [ours], domain('corp.example'), domain('', true));
  expect(linksBehindUs([taken], held)).toEqual([
    link('eth0', ['192.0.2.1:53'], domain('corp.example')),
  ]);
});

test('a link that names us tells what NetworkManager knows of it by now', () => {
  const byManager = { servers: ['198.51.100.1:53'], domains: [domain('lan.example')] };
  const taken = { ...link('eth0', [ours], domain('lan.example'), domain('', true)), byManager };
  const behind = linksBehindUs([taken], held);
  expect(behind).toMatchObject([byManager]);
  expect(resolversBehindUs({ interfaces: [], links: behind }, held)).toEqual(['198.51.100.1:53']);
});

test('domains that it was given since are told, the root that we gave it is not', () => {
  const taken = link('eth0', [ours], domain('', true), domain('late.example', true));
  expect(linksBehindUs([taken], held)).toEqual([
    link('eth0', ['192.0.2.1:53'], domain('corp.example'), domain('late.example', true)),
  ]);
});

test('resolved counts our server to the loopback interface: there it is nobody’s', () => {
  const said = [link('lo', [ours]), link('eth0', [], domain('', true)), link('tun0', [])];
  expect(linksBehindUs(said, held)).toEqual([
    link('eth0', ['192.0.2.1:53'], domain('corp.example')),
    link('tun0', []),
  ]);
  expect(linksBehindUs([link('lo', ['127.0.0.1:53'])], held)).toHaveLength(1);
});

test('a link that others have told since, and one that was never ours, tell what they tell', () => {
  const others = [link('eth0', ['198.51.100.1:53']), link('tun0', ['10.0.0.1:53']), link(null, [])];
  expect(linksBehindUs(others, held)).toEqual(others);
});

test("the network's own resolvers are those behind us and those of other links, never ourselves", () => {
  const links = [link('eth0', [ours], domain('', true)), link('wlan0', ['198.51.100.1:53', ours])];
  expect(resolversBehindUs({ interfaces: [], links: linksBehindUs(links, held) }, held)).toEqual([
    '192.0.2.1:53',
    '198.51.100.1:53',
  ]);
  expect(resolversBehindUs({ interfaces: [], links }, [])).toBeNull();
  const file = [
    {
      interface: null,
      servers: ['127.0.0.1:53'],
      before: { servers: ['192.0.2.9:53', '127.0.0.1:53'], domains: [] },
    },
  ];
  expect(resolversBehindUs({ interfaces: [], links: [] }, file)).toEqual(['192.0.2.9:53']);
});

test("a VPN's resolvers are not the network's", () => {
  const vpn = { ...link('wg0', ['10.0.0.1:53']), vpn: true };
  const before = { servers: ['10.9.0.1:53'], domains: [] };
  const behind = [...held, { interface: 'tun0', servers: [ours], before }];
  const [tun0] = someSnapshot({ interface: 'tun0' }).interfaces;
  const interfaces = tun0 === undefined ? [] : [{ ...tun0, kind: 'tunnel' as const }];
  expect(resolversBehindUs({ interfaces, links: [vpn] }, behind)).toEqual(['192.0.2.1:53']);
});
