/**
 * German pages hold no English: every page and dialog is walked through, and no English sentence of the catalogue may stand in it.
 * What comes from elsewhere and has no German must be marked as English, and is counted.
 */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { readRules } from '../../app/service/rules/rule-text.ts';
import { importLineInGerman } from '../../renderer/text/de/import-lines.ts';
import { de } from '../../renderer/text/de.ts';
import { en } from '../../renderer/text/en.ts';
import { describeWith } from '../rig/available.ts';
import { encodeQuery } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { expectText } from './expect-page.ts';
import { Frame } from './pages/frame.ts';
import { uiStage } from './stage.ts';

/** Every page, what says that it is there, and what a person can open on it. */
const { pages: titles } = de.frame;
const pages: [route: string, shows: string | RegExp, opens: RegExp[]][] = [
  ['home', /Anfragen/, []],
  ['queries', 'img3.herald.example', [/^So wird gefiltert$/]],
  ['queries?view=domain', 'Anteil', []],
  ['queries?view=client', '127.0.0.1', []],
  ['providers', titles.providers, [/^Hinzufügen …$/]],
  ['exceptions', titles.exceptions, [/^Ausnahme hinzufügen/]],
  ['networks', titles.networks, []],
  ['ledger', titles.ledger, []],
  ['settings', titles.settings, []],
  ['diagnostics', /Untersucht:/, []],
  ['first-run', 'Cloudflare', []],
];

describeWith(['sotto', 'sotto-server'], 'German pages', () => {
  const stage = uiStage();

  it('hold no English sentence of the catalogue, unfolded and with their dialogs', async () => {
    const service = await stage.startService({
      systemResolvers: ['127.0.0.1:9'],
      bypass: [{ suffix: 'corp.example', to: ['127.0.0.1:9'] }],
    });
    for (const host of ['www', 'img3', 'comments'])
      await askUdp(service.v4, encodeQuery(`${host}.herald.example`, 'A'));
    const page = await stage.open(service, { locale: 'de-DE', width: 1080, height: 760 });
    for (const [route, shows, opens] of pages) {
      await page.evaluate(`location.hash = '#/${route}'`);
      await expectText(new Frame(page).content, shows);
      await expectGerman(page, route);
      for (const name of opens) {
        await page.getByRole('main').getByRole('button', { name }).first().click();
        await page.getByRole('dialog').waitFor();
        await expectGerman(page, `${route} ${name}`);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    }
    const english = await stage.open(service, { locale: 'en-GB', width: 1080, height: 760 });
    await english.getByRole('main').getByRole('heading').first().waitFor();
    expect((await englishIn(english)).length, 'the walk finds English').toBeGreaterThan(5);
    await service.stop();
  });

  it('say what is wrong with a filter', async () => {
    const page = await stage.open(await stage.startService(), { locale: 'de-DE' });
    await page.evaluate(`location.hash = '#/queries'`);
    const problem = page.locator('#query-log-filter-problem');
    for (const [filter, says] of [
      ['outcome:lost', '„lost“ ist kein Ergebnis – es gibt forwarded'],
      ['nowhere:x', 'Es gibt kein Feld „nowhere“'],
      ['slower:soon', '„soon“ ist keine Dauer'],
      ['since:yesterday', '„yesterday“ ist weder Dauer noch Zeitpunkt'],
      ['"open', 'Die Anführungszeichen sind nicht geschlossen'],
      ['/open', 'Der Ausdruck ist leer oder nicht geschlossen'],
      ['type:', '„type:“ hat keinen Wert'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Filter' }).fill(filter);
      await expectText(problem, says);
    }
  });

  it('say why a query was answered as it was, and why settings do not fit together', async () => {
    const service = await stage.startService();
    await askUdp(service.v4, encodeQuery('host.internal', 'A'));
    const page = await stage.open(service, { locale: 'de-DE', width: 1080, height: 760 });
    const { content } = new Frame(page);
    const own = 'interne Namen gibt es nur in privaten Netzen';
    await page.evaluate(`location.hash = '#/queries'`);
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('/(a/');
    await expectText(content.getByRole('alert'), 'eine schließende ) fehlt');
    await filter.fill('');
    await page.getByRole('grid').getByText('host.internal').first().click();
    const detail = page.getByRole('region', { name: 'Eine Anfrage' });
    await expectText(detail, own);
    expect(await detail.locator('[lang=en]').count()).toBe(0);

    await page.evaluate(`location.hash = '#/exceptions'`);
    await content.getByLabel('Name', { exact: true }).fill('host.internal');
    await content.getByRole('button', { name: 'Prüfen' }).click();
    await content.locator('summary').filter({ hasText: 'Details' }).last().click();
    await expectText(content, own);
    expect(await content.locator('[lang=en]').count()).toBe(0);

    await page.evaluate(`location.hash = '#/settings'`);
    await content.getByRole('searchbox').fill('listen');
    const addresses = content.getByRole('listitem').filter({ hasText: 'Adressen für Programme' });
    await addresses.getByRole('textbox').fill('127.0.0.1:5399\n127.0.0.1:5399');
    await addresses.getByRole('button', { name: 'Speichern' }).click();
    const alert = addresses.getByRole('alert');
    await expectText(alert, '127.0.0.1:5399 steht zweimal da; eines entfernen');
    expect(await alert.locator('[lang=en]').count()).toBe(0);
    await service.stop();
  });

  it.each([
    'corp.example',
    '*.corp.example 192.0.2.1',
    'corp.example nonsense',
    'corp.example 192.0.2.1 user=a!b',
    'corp.example 192.0.2.1 hours=9-5',
    'corp.example 192.0.2.1 unit=firefox',
    'corp.example 192.0.2.1 network=',
    '{"bypass": [{"suffix": 1}]}',
    '{"rules": []}',
    '{"by',
    'a b\n'.repeat(30),
  ])('say what is wrong with a file of exceptions: %s', (file) => {
    const read = readRules(file);
    const lines = read.ok ? [] : read.failure.message.split('\n');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(importLineInGerman(line), line).toMatch(/[a-zäöüß„]/);
  });
});

async function expectGerman(page: Page, where: string): Promise<void> {
  expect(await englishIn(page), `English on ${where}`).toEqual([]);
}

async function englishIn(page: Page): Promise<string[]> {
  await page.evaluate(
    `document.querySelectorAll('details').forEach((one) => { one.open = true; })`,
  );
  const shown = await page.evaluate<string>(
    `[document.body.innerText, ...[...document.querySelectorAll('*')].flatMap((one) =>
      ['aria-label', 'aria-valuetext', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''))].join('\\n')`,
  );
  const lines = new Set(shown.split('\n').map((line) => line.trim()));
  return englishOnly.filter((text) => lines.has(text));
}

/** Texts of the English catalogue that are no text of the German one. */
const englishOnly = difference(textsOf(en), textsOf(de));

function textsOf(part: object): string[] {
  return Object.values(part).flatMap((value) =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? textsOf(value)
        : [],
  );
}

function difference(all: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return [...new Set(all)].filter((text) => !known.has(text));
}
