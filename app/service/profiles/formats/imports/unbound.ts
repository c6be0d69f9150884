/** Forward zones of unbound.conf: unbound.conf(5). */
import {
  formatSocketAddress,
  isIPv4,
  isIPv6,
  isZonedIPv6,
} from '../../../../contract/dns/socket-address.ts';
import { Unreadable } from './read-foreign.ts';
import type { Taken } from './taken.ts';

interface Attribute {
  key: string;
  value: string;
  line: number;
}

interface Clause {
  name: string;
  line: number;
  attributes: Attribute[];
}

export function importUnbound(text: string, taken: Taken): void {
  const clauses = readClauses(text, taken);
  const serverWide = clauses
    .filter(({ name }) => name === 'server')
    .flatMap(({ attributes }) => attributes);
  const tlsForAll = isYes(lastOf(serverWide, ['tls-upstream', 'ssl-upstream']));
  const ca = lastOf(serverWide, ['tls-cert-bundle'])?.value ?? null;
  for (const clause of clauses)
    if (clause.name === 'forward-zone')
      takeZone(clause, taken, { tlsForAll, ca: ownAuthorities(ca) });
    else tellClause(clause, taken);
}

const readHere = new Set(['tls-upstream', 'ssl-upstream', 'tls-cert-bundle']);

function tellClause({ name, line, attributes }: Clause, taken: Taken): void {
  if (name !== 'server') {
    const why =
      name === 'stub-zone' ? ': it leads to authoritative servers, and Sotto asks resolvers' : '';
    taken.tell(name, `left out${why}`, line);
    return;
  }
  for (const { key, line: at } of attributes)
    if (!readHere.has(key))
      taken.tell(`server: ${key}`, 'left out: Sotto takes nothing from it', at);
}

/** Debian's bundle is what the system trusts anyway. */
function ownAuthorities(file: string | null): string | null {
  return file === '/etc/ssl/certs/ca-certificates.crt' || file === '' ? null : file;
}

interface Around {
  tlsForAll: boolean;
  ca: string | null;
}

const zoneKeys = new Set([
  'name',
  'forward-addr',
  'forward-host',
  'forward-first',
  'forward-tls-upstream',
  'forward-ssl-upstream',
  'forward-no-cache',
]);

function takeZone(clause: Clause, taken: Taken, { tlsForAll, ca }: Around): void {
  const { line, attributes } = clause;
  if (attributes.filter(({ key }) => key === 'name').length > 1)
    throw new Unreadable('the zone has two names', line);
  const zone = lastOf(attributes, ['name'])?.value ?? '';
  const about = `forward-zone ${zone === '' ? '(without a name)' : zone}`;
  tellAttributes(clause, about, taken);
  const byTls =
    isYes(lastOf(attributes, ['forward-tls-upstream', 'forward-ssl-upstream'])) || tlsForAll;
  const servers = attributes
    .filter(({ key }) => key === 'forward-addr')
    .flatMap((one) => readServer(one, byTls, taken, about));
  const trusted = byTls ? ca : null;
  if (zone === '') taken.tell(about, 'left out', line);
  else if (zone === '.') for (const one of servers) taken.server({ ...one, ca: trusted });
  else takeNames(zone.replace(/\.$/, ''), servers, taken, { byTls, ca, line });
}

function tellAttributes({ line, attributes }: Clause, about: string, taken: Taken): void {
  if (isYes(lastOf(attributes, ['forward-first'])))
    taken.tell(
      about,
      '"forward-first" is not taken: where no upstream works, "downgrade" decides',
      line,
    );
  for (const { key, value, line: at } of attributes)
    if (key === 'forward-host')
      taken.tell(about, `${value} is left out: Sotto looks up no names of servers`, at);
    else if (!zoneKeys.has(key))
      taken.tell(`${about}: ${key}`, 'left out: Sotto takes nothing from it', at);
}

type ReadServer = Parameters<Taken['server']>[0];

function takeNames(
  zone: string,
  servers: readonly ReadServer[],
  taken: Taken,
  { byTls, ca, line }: { byTls: boolean; ca: string | null; line: number },
): void {
  if (!byTls) {
    taken.rule(
      zone,
      servers.flatMap(({ address }) => address ?? []),
      line,
    );
    return;
  }
  const group = taken.group([zone], line);
  if (group !== null) for (const one of servers) taken.server({ ...one, ca }, group);
}

/** "ip@port#name" */
function readServer(
  { value, line }: Attribute,
  byTls: boolean,
  taken: Taken,
  about: string,
): ReadServer[] {
  const [, ip = '', port, name] = /^([^@#]*)(?:@(\d{1,5}))?(?:#(.*))?$/.exec(value) ?? [];
  if (!isIPv4(ip) && !isIPv6(ip) && !isZonedIPv6(ip)) {
    taken.tell(about, `${value} is left out: it is no IP address`, line);
    return [];
  }
  const address = formatSocketAddress(ip, Number(port ?? (byTls ? 853 : 53)));
  return [
    { transport: byTls ? 'dot' : 'udp', address, name: byTls ? (name ?? null) : null, about, line },
  ];
}

function lastOf(attributes: readonly Attribute[], keys: readonly string[]): Attribute | undefined {
  return attributes.findLast(({ key }) => keys.includes(key));
}

/** Unbound refuses a file in which another word stands. */
function isYes(attribute: Attribute | undefined): boolean {
  if (attribute === undefined || attribute.value === 'no') return false;
  if (attribute.value === 'yes') return true;
  throw new Unreadable(`"${attribute.key}" is neither yes nor no`, attribute.line);
}

/** Clauses have no end of their own, and an attribute may stand on the line of its clause. */
function readClauses(text: string, taken: Taken): Clause[] {
  const clauses: Clause[] = [];
  for (const { key, value, line } of attributesOf(text))
    if (key === 'include' || key === 'include-toplevel')
      taken.tell(`${key}: ${value}`, 'left out: it is another file, which is not read', line);
    else if (value === null) clauses.push({ name: key, line, attributes: [] });
    else if (clauses.length === 0)
      throw new Unreadable(`"${key}" stands outside of every clause`, line);
    else clauses.at(-1)?.attributes.push({ key, value, line });
  return clauses;
}

const word = /^\s*([a-z0-9-]+):[ \t]*/;
const clauseNames =
  /^(server|forward-zone|stub-zone|auth-zone|remote-control|view|python|dynlib|rpz|cachedb|dnstap|dnscrypt|ipset)$/;

interface Word {
  key: string;
  /** null: it begins a clause */
  value: string | null;
  line: number;
}

function* attributesOf(text: string): Generator<Word> {
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    let rest = withoutComment(raw);
    while (rest.trim() !== '') {
      const read = readWord(rest, index + 1);
      yield read.word;
      rest = read.rest;
    }
  }
}

function readWord(text: string, line: number): { word: Word; rest: string } {
  const [all = '', key = ''] = word.exec(text) ?? [];
  if (all === '') throw new Unreadable('expected "name: value"', line);
  const after = text.slice(all.length);
  if (clauseNames.test(key)) return { word: { key, value: null, line }, rest: after };
  const [whole = '', quoted, bare] = /^(?:"([^"]*)"|(\S+))/.exec(after) ?? [];
  const rest = after.slice(whole.length);
  const value = quoted ?? bare ?? '';
  if (word.test(rest)) return { word: { key, value, line }, rest };
  // Some attributes have more than one word; those that are read here have not, so that they are left out with them.
  const more = rest.trim();
  return { word: { key, value: more === '' ? value : `${value} ${more}`, line }, rest: '' };
}

/** A "#" begins one at the start of a word; inside of "ip@port#name" it does not. */
function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '$1');
}
