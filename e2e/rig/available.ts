/**
 * What these tests borrow from the machine. A missing program skips the tests that need it and says which
 * command brings it.
 */
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, it } from 'vitest';
import { commandLine as programFile } from '../../build/places.mjs';

const packages = {
  unbound: 'unbound',
  'unbound-control': 'unbound',
  nsd: 'nsd',
  dnsdist: 'dnsdist',
  kresd: 'knot-resolver',
  dig: 'bind9-dnsutils',
  kdig: 'knot-dnsutils',
  drill: 'ldnsutils',
  'ldns-keygen': 'ldnsutils',
  'ldns-signzone': 'ldnsutils',
  'ldns-testns': 'ldnsutils',
  dnsperf: 'dnsperf',
  dumpcap: 'wireshark-common',
  microsocks: 'microsocks',
  openssl: 'openssl',
  dnsmasq: 'dnsmasq-base',
  nft: 'nftables',
  NetworkManager: 'network-manager',
  nmcli: 'network-manager',
  'dbus-daemon': 'dbus-daemon',
  busctl: 'systemd',
  'systemd-analyze': 'systemd',
  socat: 'socat',
  curl: 'curl',
} as const;

export type ProgramName = keyof typeof packages;
/** `sotto` is the service of this repository with its addon, `sotto-server` the other end of the wire. */
export type Need = ProgramName | 'sotto' | 'sotto-server';

export const repository = resolve(import.meta.dirname, '../..');
/** The program as it is shipped: bundled, unless a source has changed since. */
export const commandLine = programFile();
export const sottoServer = join(repository, 'target/release/sotto-server');
const addon = join(repository, 'target/addon/sotto.node');

/** Server programs live in directories that a user's PATH often lacks. */
const directories = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
];

export function locate(program: ProgramName): string {
  const found = find(program);
  if (found === undefined)
    throw new Error(`${program} is not installed: apt-get install ${packages[program]}`);
  return found;
}

/** `describe`, or one skipped test that says what is missing and which command brings it. */
export function describeWith(needs: readonly Need[], title: string, body: () => void): void {
  const reasons = needs.map(whyMissing).filter((reason) => reason !== null);
  if (reasons.length === 0) describe(title, body);
  else it(title, (context) => context.skip([...new Set(reasons)].join('; ')));
}

function whyMissing(need: Need): string | null {
  if (need === 'sotto') {
    const built = existsSync(commandLine) && existsSync(addon);
    return built ? null : 'the engine is not built: npm test builds it';
  }
  if (need === 'sotto-server') {
    return existsSync(sottoServer)
      ? null
      : 'sotto-server is not built: cargo build --release --manifest-path native/Cargo.toml -p sotto-server';
  }
  return find(need) === undefined ? `no ${need}: apt-get install ${packages[need]}` : null;
}

function find(program: ProgramName): string | undefined {
  return directories.map((directory) => join(directory, program)).find((path) => existsSync(path));
}
