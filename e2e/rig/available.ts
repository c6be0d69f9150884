/**
 * The programs that tests need from the machine. Where one is missing, the tests that need it are skipped and name the command
 * that installs it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, it } from 'vitest';
import { addon, inRoot, commandLine as programFile } from '../../build/places.mjs';
import { findProgram } from './process.ts';
import { isUnpackedPackage, type UnpackedPackage, whyNotUnpacked } from './unpacked.ts';

const packages = {
  unbound: 'unbound',
  'unbound-control': 'unbound',
  nsd: 'nsd',
  'nsd-control': 'nsd',
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
  minisign: 'minisign',
  stubby: 'stubby',
  plistutil: 'libplist-utils',
  'dnscrypt-proxy': 'dnscrypt-proxy',
  openssl: 'openssl',
  haproxy: 'haproxy',
  jq: 'jq',
  'ansible-playbook': 'ansible-core',
  dnsmasq: 'dnsmasq-base',
  named: 'bind9',
  pdns_recursor: 'pdns-recursor',
  smartdns: 'smartdns',
  nft: 'nftables',
  NetworkManager: 'network-manager',
  nmcli: 'network-manager',
  'dbus-daemon': 'dbus-daemon',
  busctl: 'systemd',
  'systemd-analyze': 'systemd',
  socat: 'socat',
  curl: 'curl',
  'musl-gcc': 'musl-tools',
  go: 'golang-go',
  pkexec: 'pkexec',
  pkttyagent: 'polkitd',
  podman: 'podman',
  crun: 'crun',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  fstrm_capture: 'fstrm-bin',
  'dnstap-ldns': 'dnstap-ldns',
} as const;

export type ProgramName = keyof typeof packages;
type CrateName = 'sotto-server' | 'sotto-lab';
/** `sotto` is the service of this repository with its addon; unpacked packages are downloaded once. */
export type Need = ProgramName | CrateName | UnpackedPackage | 'sotto' | 'a lab';

/** The program as it is shipped: bundled, unless a source has changed since. */
export const commandLine = programFile();
export const sottoServer = inRoot('target', 'release', 'sotto-server');
export const sottoLab = inRoot('target', 'release', 'sotto-lab');
export const ip = '/usr/sbin/ip';
export const tshark = '/usr/bin/tshark';

/** `describe`, or one skipped test that says what is missing and which command installs it. */
export function describeWith(needs: readonly Need[], title: string, body: () => void): void {
  const reasons = needs.map(whyMissing).filter((reason) => reason !== null);
  if (reasons.length === 0) describe(title, body);
  else it(title, (context) => context.skip([...new Set(reasons)].join('; ')));
}

/** `describeWith` for tests that make network namespaces and capture on them. */
export function describeInLab(needs: readonly Need[], title: string, body: () => void): void {
  describeWith(['a lab', 'dumpcap', ...needs], title, body);
}

/** `describeInLab` for tests with computers that have an /etc and a bus of their own. */
export function describeInNetworks(needs: readonly Need[], title: string, body: () => void): void {
  describeInLab(['dnsmasq', 'unbound', 'dbus-daemon', ...needs], title, body);
}

export function locate(program: ProgramName): string {
  const found = findProgram(program);
  if (found === undefined)
    throw new Error(`${program} is not installed: apt-get install ${packages[program]}`);
  return found;
}

/** Null where it is there. */
export function whyMissing(need: Need): string | null {
  if (need === 'a lab') return whyNoLab();
  if (isUnpackedPackage(need)) return whyNotUnpacked(need);
  if (need === 'sotto') {
    const built = existsSync(commandLine) && existsSync(addon);
    return built ? null : 'the engine is not built: npm test builds it';
  }
  if (need === 'sotto-server' || need === 'sotto-lab') return whyNotBuilt(need);
  return findProgram(need) === undefined ? `no ${need}: apt-get install ${packages[need]}` : null;
}

/** Null where namespaces can be made, joined by a cable and captured on. */
export function whyNoLab(): string | null {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces and raw sockets need root';
  if (!existsSync(ip)) return 'no ip: apt-get install iproute2';
  if (!existsSync(tshark)) return 'no tshark: apt-get install tshark';
  const notBuilt = whyNotBuilt('sotto-lab');
  if (notBuilt !== null) return notBuilt;
  const probe = `sotto-${process.pid}-probe`;
  const made = spawnSync(ip, ['netns', 'add', probe], { encoding: 'utf8' });
  if (made.status !== 0) return `this kernel makes no network namespaces: ${made.stderr.trim()}`;
  spawnSync(ip, ['netns', 'delete', probe]);
  return null;
}

function whyNotBuilt(crate: CrateName): string | null {
  return existsSync(inRoot('target', 'release', crate))
    ? null
    : `${crate} is not built: cargo build --release --manifest-path native/Cargo.toml -p ${crate}`;
}
