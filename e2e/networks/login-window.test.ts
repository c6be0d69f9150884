/**
 * A hotel, with everything real: the tray in Electron with its window and its service on a computer of its own, DHCP, redirect,
 * pages and API of the network, and an observer on the cable.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { defaultSettings } from '../../app/contract/settings/settings.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Capture, type ClearQuery } from '../rig/network/capture.ts';
import { treeOf } from '../rig/unpacked.ts';
import { describeOnDesktop } from '../tray/on-desktop.ts';
import { Dhclient } from './dhclient.ts';
import { type Internet, webAddress } from './internet.ts';
import { gateway } from './local-network.ts';
import type { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';
import { Portal, portalNames } from './portal.ts';
import { journeyMs, Traveller } from './traveller.ts';
import type { Habits } from './traveller-program.ts';

interface Journey {
  what: string;
  downgrade: 'fallback' | 'warn' | 'refuse';
  asksIn: Habits['asksIn'];
  /** DHCP says where the network's API is (RFC 8910), and the person's computer trusts it */
  api: boolean;
}

const journeys: Journey[] = [
  {
    what: 'opens by itself under fallback, where the API says',
    downgrade: 'fallback',
    asksIn: null,
    api: true,
  },
  {
    what: 'opens under warn when its notification is answered',
    downgrade: 'warn',
    asksIn: 'notification',
    api: false,
  },
  {
    what: 'opens under refuse from the menu',
    downgrade: 'refuse',
    asksIn: 'menu',
    api: false,
  },
];

const patient = { timeout: 3 * journeyMs };

describeOnDesktop('the login window in a hotel', () => {
  describeInNetworks(['sotto', 'nft', 'isc-dhcp-client', 'libnss3-tools'], 'with two pages', () => {
    it.each(journeys)(
      '$what; a click on each page, and it closes itself; only the portal’s names left in cleartext',
      patient,
      async ({ downgrade, asksIn, api }) => {
        const lab = await labForTest();
        const { client, internet, portal } = await hotel(lab, api);
        const capture = await Capture.start(lab, client.namespace, 'eth0', gateway.v4);
        const traveller = await Traveller.sitDown(lab, client, {
          settings: { upstreams: internet.upstreams, systemResolvers: 'auto', downgrade },
          asksIn,
          trusts: api ? { ca: portal.ca, certutil } : null,
        });
        await traveller.sees('closed');

        const pages = pagesSeen(traveller);
        expect(pages.slice(0, 2)).toMatchObject([
          { title: 'Welcome', bar: { site: portalNames[0] } },
          { title: 'Your room', bar: { site: portalNames[1] } },
        ]);
        const [address, time] = api
          ? [/^https:/, /^\d:\d\d left$/]
          : [/^http:/, /left · not encrypted$/];
        expect(pages[0]?.address).toMatch(address);
        expect(pages[0]?.bar.time).toMatch(time);

        const atEnd = { portal: null, clear: [], consentRequests: [] };
        await expect
          .poll(() => traveller.status())
          .toMatchObject({ ...atEnd, protection: { state: 'private' } });

        const [entry, ...others] = (await traveller.ledger()).filter(({ count }) => count !== 0);
        expect(others).toEqual([]);
        expect(entry).toMatchObject({ class: 'portal', closed: 'a private upstream answered' });
        // On a busy computer a look may find no page in time, and then looks up names that no program asked for.
        const left = (await capture.clearQueries()).filter(
          ({ name }) => !probeNames.includes(name),
        );
        expect(left.filter(({ name }) => !portalNames.includes(name))).toEqual([]);
        expect(new Set(left.map(({ to }) => to))).toEqual(new Set([gateway.v4]));
        const [before, during] = [left.filter(isBefore(entry)), left.filter(isSince(entry))];
        expect(
          new Set(names(before)),
          'only the API is asked for before anybody has a window',
        ).toEqual(new Set(api ? [portalNames[0]] : []));
        expect(entry?.count).toBe(during.length);
        await expect
          .poll(async () => new Set(names(await traveller.asked())))
          .toEqual(new Set(names(during)));
        expect(await strangers(capture, client, internet)).toEqual([]);
      },
    );

    it('fetches the page again by itself when the network changes meanwhile', patient, async () => {
      const lab = await labForTest();
      const { client, internet, portal } = await hotel(lab, true, { stallsSecond: true });
      const traveller = await Traveller.sitDown(lab, client, {
        settings: {
          upstreams: internet.upstreams,
          systemResolvers: 'auto',
          downgrade: 'fallback',
        },
        asksIn: null,
        trusts: { ca: portal.ca, certutil },
      });
      await eventually('a page is fetched', () => portal.stalled);
      await client.ip('address', 'add', '198.51.100.77/32', 'dev', 'eth0');
      await traveller.sees('closed');
      const pages = pagesSeen(traveller);
      expect(new Set(pages.map(({ title }) => title))).toContain('Your room');
      await expect.poll(() => traveller.status()).toMatchObject({ portal: null, clear: [] });
    });
  });
});

const probeNames = defaultSettings['portal.probes'].map(({ url }) => new URL(url).hostname);
const isSince = (entry?: LedgerEntry) => (one: ClearQuery) => one.at * 1000 >= (entry?.since ?? 0);
const isBefore = (entry?: LedgerEntry) => (one: ClearQuery) => !isSince(entry)(one);
const names = (all: { name: string }[]) => all.map(({ name }) => name);

/** Not those that led on before they had a title: until then a page is called by its address. */
const pagesSeen = ({ sights }: Traveller) =>
  sights
    .flatMap((sight) => (sight.is === 'page' ? sight.page : []))
    .filter(({ title }) => !/^https?:/.test(title));

const certutil = join(treeOf('libnss3-tools'), 'usr/bin/certutil');

async function hotel(lab: Lab, api: boolean, { stallsSecond = false } = {}) {
  const { client, network, internet } = await NetworkStage.open(lab, { addresses: 'none' });
  const portal = await Portal.start(lab, network, { silent: !api, stallsSecond });
  if (api) await portal.trustedBy(client);
  await Dhclient.start(lab, client);
  return { client, internet, portal };
}

/** Destinations of packets that do not belong to a login, for example Chromium's own services; there must be none. */
async function strangers(capture: Capture, client: Machine, { upstreams }: Internet) {
  const [link] = JSON.parse(await client.ip('-j', 'link', 'show', 'eth0'));
  const rows = await capture.rows(`eth.src == ${link.address}`, ['ip.dst', 'ipv6.dst']);
  const sent = new Set(rows.flatMap(([v4, v6]) => (v4 || v6 || '').split(';')[0] ?? ''));
  const probed = [nobody, webAddress.v4, webAddress.v6];
  const known = [gateway.v4, gateway.v6, ...probed, ...upstreams.flatMap(({ address }) => address)];
  const isLocal = (to: string) => /^(|255\.255\.255\.255|224\..*|ff0.*|fe80:.*)$/.test(to);
  return [...sent].filter((to) => !known.includes(to) && !isLocal(to));
}

/** A page that is requested to see which server responds in its place. */
const nobody = '192.0.2.1';
