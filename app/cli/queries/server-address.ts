/** `tdns://192.0.2.1:53#dns.example`: a server, how to reach it, and the name its certificate must carry. */

import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { type UpstreamTransport, upstreamTransports } from '../../contract/engine-words.ts';
import { authenticationName, defaultPort } from '../../contract/settings/upstream-settings.ts';
import { badUsage } from '../failure.ts';

export interface ServerAddress {
  transport: UpstreamTransport;
  /** ip:port */
  address: string;
  /** SOCKS5, ip:port */
  proxy?: string;
  names: string[];
}

const form =
  'write it as tdns://192.0.2.1#dns.example, dot://[2001:db8::1]:853#dns.example or udp://192.0.2.1';

export function parseServerAddress(text: string): ServerAddress {
  const parts = /^([a-z0-9]+):\/\/([^#/]*)\/?(?:#(.*))?$/i.exec(text);
  if (parts === null) throw badUsage(`"${text}" is not a server address`, form);
  const [, scheme = '', host = '', name] = parts;
  const transport = upstreamTransports.find((known) => known === scheme.toLowerCase());
  if (transport === undefined) {
    const known = upstreamTransports.join(', ');
    throw badUsage(`transport "${scheme}" is not available in this version`, `use one of ${known}`);
  }
  if (transport === 'encdns')
    throw badUsage(
      'an EncDNS server is asked through a resolver, not at an address',
      'add it with "sotto upstream add" and try it with "sotto upstream test"',
    );
  const address = parseSocketAddress(host);
  if (address === null || address.port === 0) {
    throw badUsage(`"${host}" is not an IP address with an optional port`, form);
  }
  const named = authenticationName.optional().safeParse(name);
  if (!named.success) throw badUsage(`"${name}" is not a host name or an IP address`, form);
  return {
    transport,
    address: formatSocketAddress(address.ip, address.port ?? defaultPort(transport)),
    names: named.data === undefined ? [] : [named.data],
  };
}
