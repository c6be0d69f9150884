/**
 * The manual, made from the declarations that also make help and completion. Packages get it when they are made. To read a page
 * meanwhile: `node app/cli/manual/manual-pages.ts target/man && man -l target/man/sotto-log.1`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredCommand } from '../declared-command.ts';
import { buildProgram } from '../program.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { readVersion } from '../version.ts';
import { auditPage } from './audit-page.ts';
import { commandPage, pageName, programPage } from './command-page.ts';
import { formatsPage } from './formats-page.ts';
import { journalPage } from './journal-page.ts';
import { policyPage, profilePage } from './profile-pages.ts';
import { settingsPage } from './settings-page.ts';

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
    ['sotto-policy.5', policyPage(version)],
    ['sotto-profile.5', profilePage(version)],
    ['sotto-audit.5', auditPage(version)],
    ['sotto-profile-formats.7', formatsPage(version)],
    ['sotto-journal.7', journalPage(version)],
  ]);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('name the folder to write the pages into');
  mkdirSync(folder, { recursive: true });
  for (const [name, page] of await manualPages()) writeFileSync(join(folder, name), page);
}
