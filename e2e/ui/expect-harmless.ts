/** Text from the wire is shown as text: no invisible character in it has an effect, and nothing in it becomes an element. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Control characters except line break and tab, and those that change the direction of a line. */
export const obeyed =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Text, values and attributes of the whole document, also those that are only read aloud. */
const allText = `(() => {
  const found = [document.title];
  const all = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
  while (all.nextNode()) {
    const node = all.currentNode;
    if (node.nodeType === Node.TEXT_NODE) found.push(node.data);
    for (const { value } of node.attributes ?? []) found.push(value);
    if ('value' in node) found.push(String(node.value));
  }
  return found;
})()`;
const foreign = `document.querySelectorAll('img[src="x"], [onerror]').length`;

export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate<number>(foreign), 'elements from the wire').toBe(0);
  const texts = await page.evaluate<string[]>(allText);
  expect(texts.filter((text) => obeyed.test(text))).toEqual([]);
}
