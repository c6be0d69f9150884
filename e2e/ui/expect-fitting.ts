import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Nothing reaches beyond the right edge, so that nobody has to scroll sideways to read a line. */
export async function expectFitting(page: Page): Promise<void> {
  const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate<number>(beyond), 'pixels beyond the edge').toBeLessThanOrEqual(0);
}
