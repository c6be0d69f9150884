/** resolved.conf: resolved.conf(5), systemd.syntax(7). A key that is there again adds to its list, and an empty one drops it. */
import {
  formatSocketAddress,
  isLinkLocal,
  parseSocketAddress,
} from '../../../../contract/dns/socket-address.ts';
import { onLink } from '../../../network/ip-address.ts';
import { Unreadable } from './read-foreign.ts';
import type { Taken } from './taken.ts';

interface Assigned {
  value: string;
  line: number;
}

export function importResolvedConf(text: string, taken: Taken): void {
  const { servers, tls } = readResolve(text, taken);
  const mode = tls?.value.toLowerCase() ?? 'no';
  const byTls = mode === 'opportunistic' || isYes(mode);
  if (tls !== null && !byTls && !isNo(mode))
    throw new Unreadable('"DNSOverTLS" is neither yes, nor no, nor opportunistic', tls.line);
  if (mode === 'opportunistic')
    taken.tell(
      'DNSOverTLS',
      '"opportunistic" is not taken: Sotto authenticates every upstream over TLS, and "downgrade" decides about the rest',
      tls?.line ?? null,
    );
  for (const { value, line } of servers) takeServer(taken, { value, line }, byTls);
}

function readResolve(text: string, taken: Taken) {
  const servers: Assigned[] = [];
  let tls: Assigned | null = null;
  for (const { section, key, ...assigned } of assignments(text)) {
    if (section !== 'Resolve')
      taken.tell(
        `[${section}] ${key}`,
        'left out: it is no section of resolved.conf',
        assigned.line,
      );
    else if (key === 'DNS') addServers(servers, assigned);
    else if (key === 'DNSOverTLS') tls = assigned;
    else if (saysSomething(key, assigned.value)) taken.tell(key, whyLeftOut(key), assigned.line);
  }
  return { servers, tls: tls as Assigned | null };
}

/** Sotto answers for all names anyway. */
function saysSomething(key: string, value: string): boolean {
  return value !== '' && !(key === 'Domains' && value === '~.');
}

function addServers(servers: Assigned[], { value, line }: Assigned): void {
  if (value === '') servers.length = 0;
  for (const one of value.split(/\s+/).filter(Boolean)) servers.push({ value: one, line });
}

function whyLeftOut(key: string): string {
  if (key === 'FallbackDNS') return 'left out: where no upstream works, "downgrade" decides';
  return key === 'Domains'
    ? 'left out: names of a network come from its links, or from bypass rules'
    : 'left out: Sotto takes nothing from it';
}

/** "ip:port%interface#name" */
function takeServer(taken: Taken, { value, line }: Assigned, byTls: boolean): void {
  const [, place = '', link, name] = /^([^%#]*)(?:%([^#]*))?(?:#(.*))?$/.exec(value) ?? [];
  const about = `DNS ${value}`;
  const parsed = parseSocketAddress(place);
  if (parsed === null) {
    taken.tell(about, 'left out: it is no IP address', line);
    return;
  }
  if (link !== undefined && !isLinkLocal(parsed.ip)) {
    taken.tell(about, 'left out: only a link-local address belongs to an interface', line);
    return;
  }
  const port = parsed.port ?? (byTls ? 853 : 53);
  const address = formatSocketAddress(onLink(parsed.ip, link), port);
  taken.server({
    transport: byTls ? 'dot' : 'udp',
    address,
    name: byTls ? (name ?? null) : null,
    about,
    line,
  });
}

function isYes(word: string): boolean {
  return ['1', 'yes', 'y', 'true', 't', 'on'].includes(word);
}

function isNo(word: string): boolean {
  return ['', '0', 'no', 'n', 'false', 'f', 'off'].includes(word);
}

function* assignments(text: string) {
  let section = '';
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    const said = raw.trim();
    if (said === '' || /^[#;]/.test(said)) continue;
    const title = /^\[([^\]]+)\]$/.exec(said)?.[1];
    const [, key, value = ''] = /^([A-Za-z0-9]+)\s*=\s*(.*)$/.exec(said) ?? [];
    if (title !== undefined) section = title;
    else if (key !== undefined) yield { section, key, value, line };
    else throw new Unreadable('neither a section nor "key=value"', line);
  }
}
