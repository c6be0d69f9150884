/**
 * Folders as a new account has them: nothing that npm or cargo fetched before. How this machine reaches the registries stays, since
 * that belongs to the machine and not to what was built on it.
 */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Variables by which a machine reaches registries. */
const ofTheMachine =
  /^(https?_proxy|no_proxy|all_proxy|ssl_cert_\w+|node_extra_ca_certs|npm_config_registry|cargo_(registr|source|net|http)\w*)$/i;

/** The whole environment of an account whose folder this is. The toolchain of Rust stays where rustup has it. */
export function emptyHome(home: string): Record<string, string> {
  const cargo = join(home, '.cargo');
  mkdirSync(cargo, { recursive: true });
  copyCargoConfiguration(cargo);
  copyWhereThere(join(homedir(), '.npmrc'), join(home, '.npmrc'));
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && ofTheMachine.test(name) ? [[name, value]] : [],
  );
  return {
    ...Object.fromEntries(kept),
    PATH: withoutPackages(process.env['PATH'] ?? ''),
    LANG: 'C.UTF-8',
    HOME: home,
    CARGO_HOME: cargo,
    RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
    npm_config_cache: join(home, '.npm'),
  };
}

/** npm puts the programs of this checkout's packages first. */
function withoutPackages(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !/node_modules/.test(folder))
    .join(delimiter);
}

/** `to`: an empty folder for CARGO_HOME. */
export function copyCargoConfiguration(to: string): void {
  const from = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  for (const name of ['config.toml', 'config']) copyWhereThere(join(from, name), join(to, name));
}

function copyWhereThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}
