/**
 * The pictures in docs/screens, and what each was made from. `npm run screens` writes them down with a digest of the sources that a
 * picture shows; a test fails when these have changed since (docs/decisions/0056-pictures.md).
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inRoot } from './places.mjs';

/** Of each picture the parts of the page that it shows, and the scene that it was made from. */
const shown: Readonly<Record<string, readonly string[]>> = {
  'home-light-en-1024.png': ['renderer/features/home/home-page.tsx', ...ofDay()],
  'queries-light-en-1024.png': ['renderer/features/query-log/query-log-page.tsx', ...ofDay()],
  'protect-light-en-1024.png': [
    'renderer/features/protect/protect-dialog.tsx',
    'renderer/features/home/home-page.tsx',
    ...ofDay(),
  ],
  'status-asking-light-en-1024.png': ['renderer/features/home/home-page.tsx', 'e2e/ui/busy-day.ts'],
  'profiles-light-en-1024.png': [
    'renderer/features/profiles/profiles-page.tsx',
    'e2e/ui/organisation.ts',
  ],
};

function ofDay(): string[] {
  return ['day-scenes', 'domains', 'plan', 'seeded-day'].map((name) => `e2e/ui/day/${name}.ts`);
}

export const keptPictures = Object.keys(shown);
const notes = inRoot('docs', 'screens', 'made-from.json');

export function isKept(file: string): boolean {
  return Object.hasOwn(shown, file);
}

/** The picture has been made from the sources as they are now. */
export function noteSource(file: string): void {
  const noted = { ...notedDigests(), [file]: digestOf(file) };
  const sorted = Object.fromEntries(Object.entries(noted).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(notes, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** A digest of all that a picture shows; it depends on contents and names, not on times. */
export function digestOf(file: string): string {
  const hash = createHash('sha256');
  for (const path of sourcesOf(file))
    hash
      .update(`${path}\0`)
      .update(readFileSync(inRoot(path)))
      .update('\0');
  return hash.digest('hex').slice(0, 32);
}

export function notedDigests(): Record<string, string> {
  return existsSync(notes) ? JSON.parse(readFileSync(notes, 'utf8')) : {};
}

/** The parts of the page that the picture shows, with all that they import of the page, and the English texts that these use. */
export function sourcesOf(file: string): string[] {
  const found = new Set<string>();
  const open = [
    ...(shown[file] ?? []),
    'renderer/components/page-frame.tsx',
    'renderer/styles/tokens.css',
  ];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || !existsSync(inRoot(path))) continue;
    found.add(path);
    if (path.startsWith('renderer/')) open.push(...importedBy(path));
  }
  return [...found].sort();
}

function importedBy(path: string): string[] {
  const code = readFileSync(inRoot(path), 'utf8');
  const files = [...code.matchAll(/from '(\.{1,2}\/[^']+)'/g)].map(([, target = '']) =>
    relative(inRoot(), join(inRoot(dirname(path)), target)),
  );
  const parts = [...code.matchAll(/\btext\.(\w+)/g)].map(([, part = '']) => textFile(part));
  return [...files.filter(isPartOfPage), ...parts];
}

/** What it draws. The catalogue imports the texts of every page, and only those that are used are shown. */
function isPartOfPage(path: string): boolean {
  return /^renderer\/(components|features|styles)\//.test(path);
}

function textFile(part: string): string {
  return `renderer/text/en/${part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}
