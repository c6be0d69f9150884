/** Waits until something on a page is as expected. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const patience = { timeout: 60_000, interval: 50 };

export async function expectText(locator: Locator, text: string | RegExp): Promise<void> {
  const said = expect.poll(async () => (await locator.allInnerTexts()).join('\n'), patience);
  await (text instanceof RegExp ? said.toMatch(text) : said.toContain(text));
}

/** What is typed next goes there. */
export async function expectFocus(locator: Locator): Promise<void> {
  const hasFocus = () => locator.evaluate((element) => element.matches(':focus'));
  await expect.poll(hasFocus, patience).toBe(true);
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

/** The part of the page's address behind its server. */
export async function expectHash(page: Page, hash: string): Promise<void> {
  await expect.poll(() => page.evaluate('location.hash'), patience).toBe(hash);
}

/** Nothing reaches beyond the right edge, so that nobody has to scroll sideways to read a line. */
export async function expectFitting(page: Page): Promise<void> {
  const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  const pixels = expect.poll(() => page.evaluate<number>(beyond), {
    ...patience,
    message: 'pixels beyond the edge',
  });
  await pixels.toBeLessThanOrEqual(0);
}
