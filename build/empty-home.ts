/**
 * Folders as a new account has them: nothing that npm or cargo fetched before. How this machine reaches the registries stays, since
 * that belongs to the machine and not to what was built on it.
 */
import { copyFileSync, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** `to`: an empty folder for CARGO_HOME. */
export function copyCargoConfiguration(to: string): void {
  const from = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  for (const name of ['config.toml', 'config']) copyWhereThere(join(from, name), join(to, name));
}

function copyWhereThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}
