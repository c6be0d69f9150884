/** The notices about other people's work that is shipped: everything that the two lockfiles bring, with its licence texts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { inRoot } from '../places.mjs';
import { output } from './place.ts';

interface Part {
  name: string;
  version: string;
  license: string;
  /** the folder of its texts */
  folder: string;
}

/** Packages that the page is made of, in addition to the run-time dependencies of package.json. */
const ofThePage = [
  '@fontsource-variable/inter',
  '@radix-ui/react-dropdown-menu',
  '@tanstack/react-virtual',
  'react',
  'react-dom',
];
const textNames = /^(licen[sc]e|copying|notice|unlicense)/i;

export function thirdPartyNotices(): string {
  return noticesOf([...shippedPackages(), ...crates()], `${introduction}\n${ofNode}`);
}

/** Of programs that have nothing but crates in them. */
export function crateNotices(): string {
  return noticesOf(crates(), introduction);
}

function noticesOf(unsorted: readonly Part[], introduction: string): string {
  const parts = [...unsorted].sort((one, other) => (one.name < other.name ? -1 : 1));
  const texts = new Map<string, string[]>();
  for (const part of parts) {
    const text = textsIn(part.folder);
    const whose = `${part.name} ${part.version} (${part.license})`;
    texts.set(text, [...(texts.get(text) ?? []), whose]);
  }
  const sections = [...texts].map(([text, whose]) =>
    [...whose, '', text === '' ? 'No text of its own came with it.' : text].join('\n'),
  );
  return `${[introduction, ...sections].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const introduction =
  'Sotto contains, or is compiled with, the work of others. Each text stands below the names it came with.';
const ofNode = `bin/node is Node.js ${process.version}, as published; its package brings no text: https://github.com/nodejs/node/blob/${process.version}/LICENSE`;

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      peerDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
type Locked = z.infer<typeof lockfile>['packages'];

/** All npm packages that are in the installation. */
export function shippedPackages(): Part[] {
  const locked = lockfile.parse(JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')));
  const { dependencies } = locked.packages[''] ?? {};
  const found = new Set<string>();
  for (const name of [...Object.keys(dependencies ?? {}), ...ofThePage])
    follow(`node_modules/${name}`, locked.packages, found);
  return [...found].flatMap((place) => describePackage(inRoot(place)));
}

function follow(place: string, locked: Locked, found: Set<string>): void {
  if (found.has(place) || locked[place] === undefined) return;
  found.add(place);
  for (const name of Object.keys(locked[place].dependencies ?? {})) {
    const nested = `${place}/node_modules/${name}`;
    follow(nested in locked ? nested : `node_modules/${name}`, locked, found);
  }
}

const description = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default('not said'),
});

function describePackage(folder: string): Part[] {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return [];
  return [{ ...description.parse(JSON.parse(readFileSync(file, 'utf8'))), folder }];
}

const metadata = z.object({
  packages: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      version: z.string(),
      license: z.string().nullable(),
      manifest_path: z.string(),
      source: z.string().nullable(),
    }),
  ),
});

/**
 * The crates that are compiled for this system, including tools that only builds and tests need. Cargo fetches those that no build
 * has needed so far.
 */
function crates(): Part[] {
  const asked = ['metadata', '--format-version', '1', '--locked', '--quiet'];
  const here = ['--filter-platform', hostTriple(), '--manifest-path', inRoot('native/Cargo.toml')];
  const all = metadata.parse(JSON.parse(output('cargo', [...asked, ...here]))).packages;
  return all
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, manifest_path: manifest }) => ({
      name: `${name} (crate)`,
      version,
      license: license ?? 'not said',
      folder: dirname(manifest),
    }));
}

function hostTriple(): string {
  return /^host: (.+)$/m.exec(output('rustc', ['-vV']))?.[1] ?? '';
}

function textsIn(folder: string): string {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && textNames.test(entry.name))
    .map(({ name }) => name);
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n');
}
