/** One server as a text with a scheme, as several programs write it. */
import { parseSocketAddress } from '../../../../contract/dns/socket-address.ts';
import { parseNamedAddress } from '../../../../contract/settings/upstream-settings.ts';
import { parseDnsStamp } from '../../../upstreams/dns-stamp.ts';
import type { Server, Taken } from './taken.ts';

interface At {
  about: string;
  line: number;
  group?: string | undefined;
}

/** What other programs speak and Sotto does not, by the scheme of its addresses. */
const unsupported: Readonly<Record<string, string>> = {
  https: 'DNS over HTTPS',
  h3: 'DNS over HTTPS with HTTP/3',
  quic: 'DNS over QUIC',
  doh: 'DNS over HTTPS',
  doq: 'DNS over QUIC',
  dnscrypt: 'DNSCrypt',
};

/** "tls://dns.example.net", "192.0.2.1:53", "tcp://192.0.2.1", "sdns://…" and so on. */
export function takeServer(taken: Taken, text: string, at: At): void {
  const [, scheme = '', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text) ?? [];
  const word = scheme.toLowerCase();
  if (Object.hasOwn(unsupported, word)) {
    taken.tell(
      at.about,
      `refused: ${unsupported[word]} is a transport that Sotto does not speak`,
      at.line,
    );
    return;
  }
  if (word === 'sdns') {
    takeStamp(taken, text, at);
    return;
  }
  const transport = { tls: 'dot', tcp: 'tcp', udp: 'udp', '': 'udp' }[word] as
    | 'dot'
    | 'tcp'
    | 'udp';
  if (transport === undefined) {
    taken.tell(at.about, `refused: "${scheme}" is no transport that Sotto knows`, at.line);
    return;
  }
  taken.server({ transport, ...readPlace(rest.replace(/\/$/, ''), transport), ...at }, at.group);
}

/** An address stands for itself; a name is looked for in the catalogue, which knows addresses for it. */
function readPlace(
  text: string,
  transport: 'dot' | 'tcp' | 'udp',
): Pick<Server, 'address' | 'name' | 'port'> {
  if (parseSocketAddress(text) !== null) return { address: text, name: null };
  const named = transport === 'dot' ? parseNamedAddress(text) : null;
  return { address: null, name: named?.name ?? null, port: named?.port ?? null };
}

export function takeStamp(taken: Taken, text: string, at: At): void {
  const stamp = parseDnsStamp(text);
  if (!stamp.ok) {
    taken.tell(at.about, `refused: ${stamp.failure.message}`, at.line);
    return;
  }
  const { claims: _, ...server } = stamp.value;
  taken.server({ ...server, ...at }, at.group);
}
