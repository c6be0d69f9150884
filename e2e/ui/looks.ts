/** The pictures of pages: in light and dark, in both languages, in docs/screens/. */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { inRoot } from '../../build/places.mjs';
import type { Look } from './stage.ts';

export const looks: (Look & { name: string })[] = [
  { name: 'light-en', colorScheme: 'light', locale: 'en-GB' },
  { name: 'dark-en', colorScheme: 'dark', locale: 'en-GB' },
  { name: 'light-de', colorScheme: 'light', locale: 'de-DE' },
  { name: 'dark-de', colorScheme: 'dark', locale: 'de-DE' },
];

const folder = inRoot('docs', 'screens');
const only = process.env['SCREENS']?.split(',');

/** If SCREENS names some, only those. */
export function wanted<Scene extends { name: string }>(scenes: readonly Scene[]): Scene[] {
  return scenes.filter(({ name }) => only?.includes(name) ?? true);
}

/** One picture for each width. */
export async function picture(
  page: Page,
  name: string,
  { widths, height }: { widths: readonly number[]; height: number },
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: `${folder}/${name}-${width}.png` });
  }
}
