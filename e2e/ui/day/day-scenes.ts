/** Every page and dialog on the evening of the day. */
import type { Page } from 'playwright-core';
import { expectText } from '../expect-page.ts';
import { ExceptionsPage } from '../pages/exceptions-page.ts';
import { Frame } from '../pages/frame.ts';
import { LedgerPage } from '../pages/ledger-page.ts';

export interface DayScene {
  name: string;
  /** the page's own address */
  route: string;
  /** of a computer whose DNS is not led to Sotto */
  notInUse?: true;
  /** waits until the page shows it */
  ready(page: Page): Promise<unknown>;
}

const main = (page: Page) => new Frame(page).content;
const lastDay = 'queries?filter=since%3A1d';

export const dayScenes: readonly DayScene[] = [
  {
    name: 'home',
    route: 'home',
    ready: (page) => main(page).getByText('wikipedia.org').waitFor(),
  },
  {
    name: 'queries',
    route: lastDay,
    ready: async (page) => {
      await main(page).getByRole('slider').waitFor();
      await page.getByRole('grid').getByRole('presentation').getByRole('row').nth(3).click();
      await page.getByRole('region', { name: /One query|Eine Anfrage/ }).waitFor();
    },
  },
  {
    name: 'protect',
    route: 'home',
    notInUse: true,
    ready: async (page) => {
      await main(page)
        .getByRole('button', { name: /^(Protect this computer|Diesen Computer schützen)$/ })
        .first()
        .click();
      await page.getByRole('dialog').getByText('✓').waitFor();
    },
  },
  {
    name: 'queries-by-domain',
    route: `${lastDay}&view=domain`,
    ready: (page) => main(page).getByRole('table').waitFor(),
  },
  {
    name: 'queries-help',
    route: lastDay,
    ready: (page) => opened(page, /^(How to filter|So wird gefiltert)$/),
  },
  {
    name: 'providers',
    route: 'providers',
    ready: (page) => main(page).getByRole('slider').first().waitFor(),
  },
  {
    name: 'add-provider',
    route: 'providers',
    ready: (page) => opened(page, /^(Add|Hinzufügen) …$/),
  },
  {
    name: 'exceptions',
    route: 'exceptions',
    ready: (page) => new ExceptionsPage(page).rules.first().waitFor(),
  },
  {
    name: 'add-exception',
    route: 'exceptions',
    ready: (page) => opened(page, /^(Add an exception|Ausnahme hinzufügen)/),
  },
  {
    name: 'networks',
    route: 'networks',
    ready: (page) => main(page).locator('h2').first().waitFor(),
  },
  {
    name: 'ledger',
    route: 'ledger',
    ready: (page) => expectText(new LedgerPage(page).open, 'corp.example'),
  },
  {
    name: 'settings',
    route: 'settings',
    ready: (page) => main(page).getByRole('switch').first().waitFor(),
  },
  {
    name: 'troubleshoot',
    route: 'diagnostics',
    ready: (page) => main(page).locator('h2').first().waitFor(),
  },
  {
    name: 'palette',
    route: 'home',
    ready: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('git');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'first-run-1',
    route: 'first-run',
    ready: (page) => main(page).getByRole('radio').first().waitFor(),
  },
  { name: 'first-run-2', route: 'first-run', ready: (page) => steps(page, 1) },
  { name: 'first-run-3', route: 'first-run', notInUse: true, ready: (page) => steps(page, 2) },
];

async function opened(page: Page, name: RegExp): Promise<void> {
  await main(page).getByRole('button', { name }).first().click();
  await page.getByRole('dialog').waitFor();
}

async function steps(page: Page, count: number): Promise<void> {
  for (let step = 1; step <= count; step += 1) {
    await main(page)
      .getByRole('button', { name: /^(Next|Weiter)$/ })
      .click();
    await main(page)
      .getByText(new RegExp(` ${step + 1} `))
      .first()
      .waitFor();
  }
}
