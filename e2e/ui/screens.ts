/** Renders every page in light and dark, both languages and three widths into docs/screens/ (`npm run screens`). */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { dig } from '../system/dig.ts';
import { freePort } from '../system/ports.ts';
import type { SettingsFile, SottoService } from '../system/sotto-service.ts';
import { expectText } from './expect-page.ts';
import { LedgerPage } from './pages/ledger-page.ts';
import { NetworksPage } from './pages/networks-page.ts';
import { RulesPage } from './pages/rules-page.ts';
import { StatusPage } from './pages/status-page.ts';
import { type Look, uiStage } from './stage.ts';

interface Scene {
  name: string;
  /** the page's own address */
  route: string;
  settings?: () => Promise<SettingsFile>;
  /** until what is to be seen is there */
  ready(page: Page, service: SottoService): Promise<void>;
}

const unreachable = async () => ({
  upstreams: [
    {
      id: 'Quad9',
      transport: 'dot',
      address: `127.0.0.1:${await freePort()}`,
      name: 'dns.quad9.net',
    },
  ],
  downgrade: 'warn',
  rungs: ['network'],
  systemResolvers: ['127.0.0.1:9'],
});

const withRules = async () => ({
  bypass: [
    { suffix: 'corp.example', to: ['192.0.2.53', '192.0.2.54'] },
    { suffix: 'lab.example', to: ['[2001:db8::53]:5353'] },
  ],
});

/** One line a page: what it is called, where it is, and when it is there. */
const scenes: Scene[] = [
  { name: 'status', route: '/status', ready: (page) => stateIs(page, /Priva/) },
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
    settings: unreachable,
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
];

const looks: (Look & { name: string })[] = [
  { name: 'light-en', colorScheme: 'light', locale: 'en-GB' },
  { name: 'dark-en', colorScheme: 'dark', locale: 'en-GB' },
  { name: 'light-de', colorScheme: 'light', locale: 'de-DE' },
  { name: 'dark-de', colorScheme: 'dark', locale: 'de-DE' },
];
const widths = [320, 1024, 1920];
const folder = inRoot('docs', 'screens');

describe('the pages', () => {
  const stage = uiStage();
  mkdirSync(folder, { recursive: true });

  it.each(scenes)('$name', async ({ name, route, settings, ready }) => {
    const service = await stage.startService((await settings?.()) ?? {});
    if (settings === undefined) await askSome(service);
    for (const { name: look, ...rest } of looks)
      for (const width of widths) {
        const page = await stage.open(service, { ...rest, width, height: 800 });
        await page.waitForURL(/^http/);
        await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
        await ready(page, service);
        await page.screenshot({ path: `${folder}/${name}-${look}-${width}.png` });
        await page.close();
      }
    await service.stop();
  });
});

/** So that there are figures to show. */
async function askSome(service: SottoService): Promise<void> {
  for (const name of ['www.herald.example', 'static.herald.example', 'www.herald.example'])
    await dig(service.v4, name);
}

async function stateIs(page: Page, state: RegExp): Promise<void> {
  await expectText(new StatusPage(page).state, state);
}
