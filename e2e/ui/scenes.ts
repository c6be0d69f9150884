/** States that the day has not: every verdict, and pages in trouble. The service is real where it can be driven into them. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { someConsentRequest } from '../../app/cli/fixtures/made-up.ts';
import { say } from '../../app/contract/sentences/sentence.ts';
import type { ResultOf, ServiceHandlers } from '../../app/contract/service-api.ts';
import type { Finding } from '../../app/contract/status/finding.ts';
import { describeHealthIssue } from '../../app/contract/status/health-issue.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { SystemDnsStatus } from '../../app/contract/system/system-dns.ts';
import { ok, warn } from '../../app/service/doctor/finding.ts';
import { connectToService } from '../../app/service-client/service-client.ts';
import type { SettingsFile, SottoService } from '../rig/sotto-service.ts';
import { toldExamination } from '../rig/told-examination.ts';
import { busyDay } from './busy-day.ts';
import { expectText } from './expect-page.ts';
import { Organisation } from './organisation.ts';
import { ExceptionsPage } from './pages/exceptions-page.ts';
import { HomePage } from './pages/home-page.ts';
import { ProfilesPage } from './pages/profiles-page.ts';
import { QueryLogPage } from './pages/query-log-page.ts';
import { providerDay, threeProviders } from './told-providers.ts';
import { verdictsShown } from './verdicts-shown.ts';

export interface Scene {
  name: string;
  /** the page's own address */
  route: string;
  settings?: () => Promise<SettingsFile>;
  /** for states into which no service can be driven here: a made-up status, and made-up replies */
  told?: { status: Partial<ServiceStatus>; handlers?: Partial<ServiceHandlers> };
  /** what happens before the picture is made */
  before?(service: SottoService): Promise<unknown>;
  /** waits until the page shows it */
  ready(page: Page, service: SottoService): Promise<void>;
  /** prepares the next picture */
  after?(service: SottoService): Promise<void>;
}

const withSystem = async () => ({ systemResolvers: ['127.0.0.1:9'] });

const taken: SystemDnsStatus = {
  mechanism: 'resolved',
  wanted: true,
  taken: true,
  since: Date.UTC(2026, 0, 31, 8, 30),
  links: ['wlan0', 'tun0'],
  givenBackFor: null,
  contest: null,
  trouble: null,
};

const partly: ServiceStatus['verdict'] = {
  is: 'partly',
  upstream: 'quad9',
  exceptions: 0,
  contested: false,
  around: [
    { kind: 'browser', name: 'Firefox' },
    { kind: 'container', name: 'Docker 0123456789ab' },
  ],
};
const exposed: ServiceStatus['protection'] = {
  state: 'exposed',
  since: Date.now() - 180_000,
  until: Date.now() + 420_000,
  consent: 'allowed by ann',
};

const profile = '/home/ann/.mozilla/firefox/k7f2.default';
const past: Finding[] = [
  ok('coverage', say('dns-led-here', { mechanism: 'resolved' })),
  ok('coverage', say('programs-arrive'), 'programs'),
  ok('coverage', say('link-arrives', { link: 'wlan0' }), 'wlan0'),
  warn(
    'coverage',
    say('browser-by-choice', { browser: 'Firefox', file: profile }),
    say('firefox-doh-off'),
    'Firefox',
  ),
  warn(
    'coverage',
    say('container-leads-past', { engine: 'Docker', id: '0123456789ab', servers: '8.8.8.8' }),
    say('restart-container'),
    'Docker 0123456789ab',
  ),
];

const claimed = (suffix: string) =>
  describeHealthIssue('names-claimed', suffix, [say('name-claimed', { suffix, link: 'wlan0' })], 0);
const claim = { link: 'wlan0', by: 'network-manager', vpn: false, to: ['192.0.2.1:53'] } as const;
const claims: ResultOf<'rule.list'> = {
  rules: [],
  resting: [],
  inForce: [],
  claims: [
    { ...claim, to: [...claim.to], suffix: 'corp.example', state: 'open' },
    { ...claim, to: [...claim.to], suffix: 'lab.example', state: 'open' },
    {
      suffix: 'intranet.example',
      link: 'tun0',
      by: 'resolved',
      vpn: true,
      to: ['10.99.0.53:53'],
      state: 'believed',
    },
    { ...claim, to: [...claim.to], suffix: 'com', state: 'too-wide' },
  ],
  locked: false,
  lockedBy: null,
  reason: null,
};

/** Its name, its address, and the condition for when it is shown. */
const verdicts: Scene[] = verdictsShown.map(([, , status], at) => ({
  name: `verdict-${at + 1}`,
  route: '/home',
  told: { status: { systemDns: taken, ...status }, handlers: busyDay },
  ready: (page) => page.getByRole('main').getByRole('heading', { level: 1 }).waitFor(),
}));

export const scenes: Scene[] = [
  ...verdicts,
  {
    name: 'diagnostics',
    route: '/diagnostics',
    ready: (page) => page.getByText(/^(Examined|Untersucht): /).waitFor(),
  },
  {
    name: 'upstreams',
    route: '/providers',
    told: { status: threeProviders, handlers: providerDay },
    ready: async (page) => {
      await page.getByRole('slider').first().waitFor();
      await page
        .getByRole('button', { name: /^(Compare speed|Geschwindigkeit vergleichen)$/ })
        .click();
      await page.getByRole('list', { name: /^(Providers by speed|Anbieter nach)/ }).waitFor();
    },
  },
  {
    name: 'status-not-in-use',
    route: '/home',
    ready: (page) => stateIs(page, /Not in use|Noch nicht/),
  },
  {
    name: 'status-partly',
    route: '/home',
    told: { status: { systemDns: taken, verdict: partly } },
    ready: (page) => stateIs(page, /Partly|Teilweise/),
  },
  {
    name: 'status-asking',
    route: '/home',
    told: {
      status: {
        systemDns: taken,
        protection: { state: 'asking', upstream: 'Quad9' },
        consentRequests: [someConsentRequest({ networkLabel: 'the café' })],
      },
      handlers: busyDay,
    },
    ready: (page) => stateIs(page, /Your choice|Entscheidung/),
  },
  {
    name: 'status-exposed',
    route: '/home',
    told: { status: { systemDns: taken, protection: exposed } },
    ready: (page) => stateIs(page, /Unencrypted|Unverschlüsselt/),
  },
  {
    name: 'status-refusing',
    route: '/home',
    told: {
      status: { systemDns: taken, protection: { state: 'refusing', why: 'Quad9: timed out.' } },
    },
    ready: (page) => stateIs(page, /Blocked|Blockiert/),
  },
  {
    name: 'status-paused',
    route: '/home',
    settings: withSystem,
    before: (service) => service.cli('pause', '15m'),
    ready: (page) => stateIs(page, /Paus/),
  },
  {
    name: 'status-off',
    route: '/home',
    settings: withSystem,
    before: (service) => service.cli('off'),
    ready: (page) => stateIs(page, /Off|Aus/),
  },
  {
    name: 'system-dns-taken',
    route: '/home',
    told: { status: { systemDns: taken } },
    ready: async (page) => {
      await new HomePage(page).openDetails();
      await expectText(new HomePage(page).content, 'systemd-resolved');
    },
  },
  {
    name: 'system-dns-contested',
    route: '/home',
    told: {
      status: {
        systemDns: { ...taken, taken: false, since: null, links: [], givenBackFor: 'contested' },
        health: [describeHealthIssue('system-dns-contested', '', [say('dns-did-not-stay')], 0)],
      },
    },
    ready: (page) => expectText(new HomePage(page).content, /sotto system take/),
  },
  {
    name: 'coverage',
    route: '/diagnostics',
    told: {
      status: { systemDns: taken },
      handlers: toldExamination(() => past),
    },
    ready: async (page) => {
      await page.getByText('/home/ann/.mozilla/firefox/k7').waitFor();
      await page.getByText('/home/ann/.mozilla/firefox/k7').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'claims',
    route: '/exceptions',
    told: {
      status: { health: [claimed('corp.example'), claimed('lab.example')] },
      handlers: { 'rule.list': () => ({ ok: true, value: claims }) },
    },
    ready: (page) => expectText(new ExceptionsPage(page).content, 'corp.example'),
  },
  {
    name: 'profiles',
    route: '/profiles',
    before: joinOrganisation,
    ready: (page) => new ProfilesPage(page).waiting.waitFor(),
  },
  {
    name: 'profiles-none',
    route: '/profiles?source=https%3A%2F%2Fit.example.com%2Fcorp.json&ring=canary',
    ready: (page) => new ProfilesPage(page).fingerprint.waitFor(),
  },
  {
    name: 'profiles-leave',
    route: '/profiles',
    before: joinOrganisation,
    ready: async (page) => {
      await page.getByRole('button', { name: /^(Leave|Verlassen) …$/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'queries-empty',
    route: '/queries',
    settings: async () => ({}),
    // what the rig asked before the service was there is recorded a moment later
    ready: async (page, service) => {
      await forget(service);
      await expectText(new QueryLogPage(page).content, /dig @127/);
    },
  },
  {
    name: 'disconnected',
    route: '/home',
    ready: async (page, service) => {
      await expectText(new HomePage(page).upstreams, /garden/);
      await service.stop();
      await expectText(page.locator('body'), /has ended|getrennt|beendet|abgebrochen/);
    },
    after: (service) => service.restart(),
  },
];

async function stateIs(page: Page, state: RegExp): Promise<void> {
  await expectText(new HomePage(page).state, state);
}

/** Some of what its profile says waits. */
async function joinOrganisation({ home }: SottoService): Promise<void> {
  const organisation = new Organisation(home);
  const { octets, signature } = organisation.signed(
    7,
    {
      downgrade: { value: 'refuse', lock: 'locked', reason: 'Names stay between us and Quad9' },
      consent: { value: 'administrator', lock: 'locked' },
      'queryLog.mode': { value: 'counts', lock: 'hidden', reason: 'Agreed with the works council' },
      'cache.serveStale': { value: true, until: '2027-01-31T18:00:00Z' },
      bypass: {
        value: [
          { suffix: 'corp.example', to: ['10.20.0.53', '10.20.1.53'] },
          { suffix: '20.10.in-addr.arpa', to: ['10.20.0.53'] },
        ],
        reason: 'Servers of the offices',
      },
      'systemDns.take': { value: false },
    },
    { notAfter: '2027-11-01T00:00:00Z' },
  );
  const service = await connectToService(join(home, 'control.sock'), 'screens');
  if (!service.ok) throw new Error(service.failure.message);
  const enrolled = await service.value.call('profile.enrol', {
    ...{ profile: octets.toString('base64'), signature, key: organisation.publicKey },
    ring: 'canary',
    grants: ['probes', 'log'],
  });
  if (!enrolled.ok) throw new Error(enrolled.failure.message);
  service.value.close();
}

async function forget({ home }: SottoService): Promise<void> {
  const service = await connectToService(join(home, 'control.sock'), 'screens');
  if (!service.ok) throw new Error(service.failure.message);
  await service.value.call('log.clear', {});
  service.value.close();
}
