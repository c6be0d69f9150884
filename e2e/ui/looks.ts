/** The pictures of pages: in light and dark, in both languages, in target/screens/, and those that documents show in docs/screens/. */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { isKept, noteSource } from '../../build/kept-pictures.ts';
import { inRoot } from '../../build/places.mjs';
import type { Look } from './stage.ts';

export const looks: (Look & { name: string })[] = [
  { name: 'light-en', colorScheme: 'light', locale: 'en-GB' },
  { name: 'dark-en', colorScheme: 'dark', locale: 'en-GB' },
  { name: 'light-de', colorScheme: 'light', locale: 'de-DE' },
  { name: 'dark-de', colorScheme: 'dark', locale: 'de-DE' },
];

/** Those that the documents show; the others are for the eye. */
const kept = inRoot('docs', 'screens');
const others = inRoot('target', 'screens');

/** One picture for each width. */
export async function picture(
  page: Page,
  name: string,
  { widths, height }: { widths: readonly number[]; height: number },
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    const file = `${name}-${width}.png`;
    const folder = isKept(file) ? kept : others;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: `${folder}/${file}` });
    if (isKept(file)) noteSource(file);
  }
}
