/** Waits until something on a page is as expected. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const patience = { timeout: 60_000, interval: 50 };

export async function expectText(locator: Locator, text: string | RegExp): Promise<void> {
  const said = expect.poll(async () => (await locator.allInnerTexts()).join('\n'), patience);
  await (text instanceof RegExp ? said.toMatch(text) : said.toContain(text));
}

/** Gives an element the focus, as soon as it takes it: a button that is still disabled does not. */
export async function focusOn(locator: Locator): Promise<void> {
  const focused = async () => {
    await locator.focus();
    return await locator.evaluate((element) => element.matches(':focus'));
  };
  await expect.poll(focused, patience).toBe(true);
}

export async function expectGone(locator: Locator): Promise<void> {
  await expect.poll(() => locator.count(), patience).toBe(0);
}

/** Nothing is wider than the page. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const width = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(width), 'pixels that stand out').toBeLessThanOrEqual(0);
}
