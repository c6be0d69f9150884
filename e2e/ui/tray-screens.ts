/** Pictures of the tray's menu under every verdict. A desktop draws the real one; this draws the same entries, to be read. */
import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { someStatus, someUpstream } from '../../app/cli/fixtures/made-up.ts';
import { de } from '../../app/tray/text/de.ts';
import { en } from '../../app/tray/text/en.ts';
import { type TrayEntry, trayView } from '../../app/tray/tray-view.ts';
import { around, quiet } from '../../app/tray/tray-view-fixture.ts';
import { inRoot } from '../../build/places.mjs';
import { openBrowser } from './browser.ts';
import { verdictsShown } from './verdicts-shown.ts';

const folder = inRoot('target', 'screens');
const upstreams = [
  someUpstream({ id: 'quad9', label: 'Quad9', rttMs: 12 }),
  someUpstream({ id: 'home', label: 'Home', rttMs: 6 }),
];

describe('the tray', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => browser.close());

  it('tray-menu', async () => {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const [name, words] of [['en', en] as const, ['de', de] as const]) {
        const page = await browser.newPage({
          colorScheme,
          viewport: { width: 1440, height: 2300 },
        });
        const menus = verdictsShown.map(([, , status]) => {
          const link = {
            is: 'connected',
            status: someStatus({ ...quiet, upstreams, ...status }),
          } as const;
          const { tooltip, entries } = trayView(link, { ...around, words, now: Date.now() });
          return `<section><small>${escaped(tooltip)}</small>${menu(entries)}</section>`;
        });
        await page.setContent(`<style>${style}</style>${menus.join('')}`);
        await page.screenshot({
          path: `${folder}/tray-menu-${colorScheme}-${name}.png`,
        });
        await page.close();
      }
  });
});

function menu(entries: readonly TrayEntry[]): string {
  return `<ul>${entries.map((entry) => `<li class="${entry.kind}">${lineOf(entry)}</li>`).join('')}</ul>`;
}

function lineOf(entry: TrayEntry): string {
  if (entry.kind === 'separator') return '<hr>';
  const label = escaped(entry.label);
  if (entry.kind === 'submenu') return `${label} ▸${menu(entry.entries)}`;
  return entry.kind === 'action' && entry.checked === true ? `✓ ${label}` : label;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const style = `
  :root { color-scheme: light dark; font: 14px sans-serif; }
  body { display: flex; flex-wrap: wrap; gap: 24px; align-items: start; }
  section { width: 320px; }
  ul { list-style: none; padding: 6px 12px; margin: 4px 0; border: 1px solid GrayText; border-radius: 8px; }
  li { padding: 3px 0; }
  .text { color: GrayText; }
`;
