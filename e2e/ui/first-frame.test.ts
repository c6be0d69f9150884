/** The frame that is painted before the page: in the page's places and colours, and without a claim about protection. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startPage, uiStage } from './stage.ts';

describe('the first frame', () => {
  const stage = uiStage();

  /** Holds the page's own script back until the test lets it load. */
  async function openHeld(colorScheme: 'light' | 'dark', chosen = 'nothing') {
    const service = await stage.startService();
    const context = await stage.newContext({
      colorScheme,
      viewport: { width: 1024, height: 768 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    if (chosen !== 'nothing')
      await page.addInitScript(`localStorage.setItem('sotto.appearance', '${chosen}')`);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/assets/*.js', (route) => held.then(() => route.continue()));
    await page.goto(await startPage(stage.lab, service), { waitUntil: 'commit' });
    await page.locator('.first-frame').waitFor();
    await page.evaluate('document.fonts.ready');
    return { page, letGo };
  }

  const look = (page: Page, selector: string) =>
    page.evaluate(
      `(() => {
        const mark = document.querySelector('${selector} svg');
        const { x, y, width, height } = mark.getBoundingClientRect();
        const root = getComputedStyle(document.documentElement);
        const text = document.createRange();
        text.selectNodeContents(mark.parentElement);
        text.setStartAfter(mark);
        const name = text.getBoundingClientRect();
        return {
          mark: [x, y, width, height],
          name: [name.x, name.width],
          middle: Math.round(name.y + name.height / 2),
          colours: [root.backgroundColor, root.color],
          line: document.querySelector('${selector}').closest('header, .first-frame').getBoundingClientRect().bottom,
        };
      })()`,
    );

  it.each([
    ['light', 'nothing'],
    ['dark', 'nothing'],
    ['light', 'dark'],
  ] as const)(
    'is in the page’s places and colours, on a %s system with %s chosen',
    async (colorScheme, chosen) => {
      const { page, letGo } = await openHeld(colorScheme, chosen);
      const before = await look(page, '.first-frame');
      letGo();
      await page.getByRole('main').waitFor();
      expect(await look(page, 'header a')).toEqual(before);
    },
  );

  it('shows the name and nothing about protection', async () => {
    const { page, letGo } = await openHeld('light');
    expect((await page.locator('body').innerText()).trim()).toBe('Sotto');
    await expect
      .poll(() => page.locator('[data-mark]').getAttribute('data-mark'))
      .toBe('not-responding');
    letGo();
    await page.getByRole('main').waitFor();
  });
});
