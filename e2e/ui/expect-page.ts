/** Waits until something on a page is so, as people do. */
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';

const patience = { timeout: 15_000, interval: 50 };

export async function expectText(locator: Locator, text: string | RegExp): Promise<void> {
  const said = expect.poll(async () => (await locator.allInnerTexts()).join('\n'), patience);
  await (text instanceof RegExp ? said.toMatch(text) : said.toContain(text));
}

export async function expectGone(locator: Locator): Promise<void> {
  await expect.poll(() => locator.count(), patience).toBe(0);
}
