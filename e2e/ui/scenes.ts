/** What there is to be seen: every page, and every state that the real service can be driven into. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { connectToService } from '../../app/service-client/service-client.ts';
import { freePort } from '../system/ports.ts';
import type { SettingsFile, SottoService } from '../system/sotto-service.ts';
import { expectText } from './expect-page.ts';
import { HistoryPage } from './pages/history-page.ts';
import { LedgerPage } from './pages/ledger-page.ts';
import { NetworksPage } from './pages/networks-page.ts';
import { RulesPage } from './pages/rules-page.ts';
import { StatusPage } from './pages/status-page.ts';

export interface Scene {
  name: string;
  /** the page's own address */
  route: string;
  settings?: () => Promise<SettingsFile>;
  /** what happens before anybody looks */
  before?(service: SottoService): Promise<unknown>;
  /** until what is to be seen is there */
  ready(page: Page, service: SottoService): Promise<void>;
  /** what the next look needs */
  after?(service: SottoService): Promise<void>;
}

const unreachable = (downgrade: 'refuse' | 'warn' | 'fallback') => async () => ({
  upstreams: [
    {
      id: 'Quad9',
      transport: 'dot',
      address: `127.0.0.1:${await freePort()}`,
      name: 'dns.quad9.net',
    },
  ],
  downgrade,
  rungs: ['network'],
  systemResolvers: ['127.0.0.1:9'],
});

const withSystem = async () => ({ systemResolvers: ['127.0.0.1:9'] });

const withRules = async () => ({
  bypass: [
    { suffix: 'corp.example', to: ['192.0.2.53', '192.0.2.54'] },
    { suffix: 'lab.example', to: ['[2001:db8::53]:5353'] },
  ],
});

/** What it is called, where it is, and when it is there. */
export const scenes: Scene[] = [
  {
    name: 'status',
    route: '/status',
    ready: (page) => expectText(new StatusPage(page).content, /median|Median/),
  },
  {
    name: 'history',
    route: '/history',
    ready: async (page) => {
      const rows = page.getByRole('grid').getByRole('row');
      await expectText(rows.filter({ hasText: 'static.herald.example' }).first(), 'static');
      await rows.filter({ hasText: 'static.herald.example' }).first().click();
      await expectText(page.getByRole('region'), /herald/);
    },
  },
  {
    name: 'settings',
    route: '/settings',
    ready: (page) => page.getByRole('spinbutton').first().waitFor(),
  },
  {
    name: 'diagnostics',
    route: '/diagnostics',
    ready: async (page) => {
      await page.getByRole('button', { name: /Examine|untersuchen/ }).click();
      await page.getByText(/\d (in order|in Ordnung),/).waitFor();
    },
  },
  {
    name: 'upstreams',
    route: '/upstreams',
    ready: async (page) => {
      await page.getByRole('button', { name: /^(Test garden|garden testen)$/ }).click();
      await expectText(page.getByRole('region', { name: /^Test/ }), /T-?DNS|STARTTLS/);
    },
  },
  {
    name: 'first-run',
    route: '/first-run',
    settings: async () => ({ upstreams: undefined }),
    ready: (page) => expectText(page.getByRole('group'), 'Mullvad'),
  },
  {
    name: 'status-asking',
    route: '/status',
    settings: unreachable('warn'),
    ready: (page) => stateIs(page, /Waiting|Entscheidung/),
  },
  {
    name: 'rules',
    route: '/rules',
    settings: withRules,
    ready: (page) => expectText(new RulesPage(page).rules, 'corp.example'),
  },
  {
    name: 'ledger',
    route: '/ledger',
    settings: withRules,
    ready: (page) => expectText(new LedgerPage(page).open, 'corp.example'),
  },
  {
    name: 'networks',
    route: '/networks',
    ready: (page) => expectText(new NetworksPage(page).content, /Remembered|Gemerkt/),
  },
  {
    name: 'status-exposed',
    route: '/status',
    settings: unreachable('fallback'),
    ready: (page) => stateIs(page, /In clear|Klartext/),
  },
  {
    name: 'status-refusing',
    route: '/status',
    settings: unreachable('refuse'),
    ready: (page) => stateIs(page, /Refusing|Verweigert/),
  },
  {
    name: 'status-paused',
    route: '/status',
    settings: withSystem,
    before: (service) => service.cli('pause', '15m'),
    ready: (page) => stateIs(page, /Paus/),
  },
  {
    name: 'status-off',
    route: '/status',
    settings: withSystem,
    before: (service) => service.cli('off'),
    ready: (page) => stateIs(page, /Off|Aus/),
  },
  {
    name: 'history-empty',
    route: '/history',
    before: forget,
    ready: (page) => expectText(new HistoryPage(page).content, /dig @127/),
  },
  {
    name: 'disconnected',
    route: '/status',
    ready: async (page, service) => {
      await expectText(new StatusPage(page).content, /cache|Cache/);
      await service.stop();
      await expectText(page.locator('body'), /has ended|getrennt|beendet|abgebrochen/);
    },
    after: (service) => service.restart(),
  },
];

async function stateIs(page: Page, state: RegExp): Promise<void> {
  await expectText(new StatusPage(page).state, state);
}

async function forget({ home }: SottoService): Promise<void> {
  const service = await connectToService(join(home, 'control.sock'), 'screens');
  if (!service.ok) throw new Error(service.failure.message);
  await service.value.call('log.clear', {});
  service.value.close();
}
