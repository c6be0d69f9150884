/**
 * The manual, made of the declarations that also make help and completion. Writes docs/man; with --check it only says
 * which pages are not what the declarations would make of them.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../../installation.ts';
import { declaredCommand } from '../declared-command.ts';
import { buildProgram } from '../program.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { readVersion } from '../version.ts';
import { commandPage, pageName, programPage } from './command-page.ts';
import { journalPage } from './journal-page.ts';
import { settingsPage } from './settings-page.ts';

const folder = installed('docs/man');

/** Text by file name: "sotto-log.1". */
export async function manualPages(): Promise<Map<string, string>> {
  const nowhere = { write: () => {} };
  const program = declaredCommand(
    await buildProgram(
      { terminal: openTerminal(nowhere, nowhere, {}), environment: {}, now: Date.now, exitCode: 0 },
      'all',
    ),
  );
  const version = readVersion();
  return new Map([
    ['sotto.1', programPage(program, version)],
    ...program.commands
      .filter(({ name }) => name !== 'help')
      .map((command): [string, string] => [
        `${pageName(command.name)}.1`,
        commandPage(command, version),
      ]),
    ['sotto-settings.5', settingsPage(version)],
    ['sotto-journal.7', journalPage(version)],
  ]);
}

/** Pages of programs that are not `sotto` are held by tests of theirs (native/manual). */
const isOurs = (name: string) => !name.endsWith('.8');

export function nativePages(): string[] {
  return readdirSync(folder).flatMap((name) => (isOurs(name) ? [] : [join(folder, name)]));
}

/** Names of pages that are missing, different, or of no command. */
export function stalePages(pages: ReadonlyMap<string, string>, where = folder): string[] {
  const there = new Map(
    readdirSync(where)
      .filter(isOurs)
      .map((name) => [name, readFileSync(join(where, name), 'utf8')]),
  );
  const names = new Set([...pages.keys(), ...there.keys()]);
  return [...names].filter((name) => pages.get(name) !== there.get(name)).sort();
}

function writePages(pages: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter(isOurs)) rmSync(join(folder, name));
  for (const [name, page] of pages) writeFileSync(join(folder, name), page);
}

if (import.meta.main) {
  const pages = await manualPages();
  if (process.argv.includes('--check')) {
    const stale = stalePages(pages);
    for (const name of stale) console.error(`docs/man/${name} is not up to date`);
    if (stale.length > 0) console.error('write them anew: node app/cli/manual/manual-pages.ts');
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    writePages(pages);
  }
}
