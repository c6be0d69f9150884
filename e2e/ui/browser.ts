/**
 * The browser these tests drive: Playwright's own where it was installed, the system's Chromium, or the one that comes
 * with the packages, so that `npm test` needs nothing else.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { unpackedChromium } from './packaged-chromium.ts';

export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return await chromium.launch({
    executablePath,
    env: { ...definedEnvironment(), ...env },
    // As root Chromium can't build its sandbox; these tests show our own page only.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}

interface Found {
  executablePath: string;
  env: Record<string, string>;
}

async function findChromium(): Promise<Found> {
  const installed = [
    chromium.executablePath(),
    ...inPath(['chromium', 'chromium-browser', 'google-chrome']),
  ];
  const executablePath = installed.find((path) => path !== '' && existsSync(path));
  return executablePath === undefined ? await unpackedChromium() : { executablePath, env: {} };
}

function inPath(names: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function definedEnvironment(): Record<string, string> {
  const pairs = Object.entries(process.env).filter((pair) => pair[1] !== undefined);
  return Object.fromEntries(pairs) as Record<string, string>;
}
