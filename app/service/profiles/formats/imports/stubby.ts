/** stubby.yml */
import {
  formatSocketAddress,
  parseSocketAddress,
} from '../../../../contract/dns/socket-address.ts';
import {
  eachField,
  isYes,
  itemsOf,
  mapOf,
  type Readers,
  textOf,
  textsOf,
} from './located-fields.ts';
import { type Located, readYaml, Unreadable } from './read-foreign.ts';
import type { Taken } from './taken.ts';

/** Sotto does the same, whatever they say. */
const same = new Set([
  'resolution_type',
  'tls_query_padding_blocksize',
  'edns_client_subnet_private',
]);

export function importStubby(text: string, taken: Taken): void {
  const file = mapOf(readYaml(text));
  const transports = transportsOf(file.get('dns_transport_list'));
  // Without a list stubby uses TLS.
  const byTls = transports.length === 0 || transports.includes(overTls);
  const ca = textOf(file.get('tls_ca_file'));
  eachField(file, taken, {
    dns_transport_list: (field) => {
      if (byTls && transports.length > 1)
        taken.tell(
          'dns_transport_list',
          'unencrypted transports beside TLS are not taken: "downgrade" decides',
          field.line,
        );
    },
    tls_authentication: (field) => {
      if (textOf(field) !== 'GETDNS_AUTHENTICATION_REQUIRED')
        taken.tell(
          'tls_authentication',
          'Sotto authenticates every upstream over TLS all the same',
          field.line,
        );
    },
    round_robin_upstreams: (field) => {
      taken.strategy = isYes(field) ? 'spread' : 'ordered';
    },
    tls_ca_file: () => {},
    upstream_recursive_servers: (field) => {
      for (const [index, server] of itemsOf(field).entries())
        takeUpstream(server, taken, { about: `upstream_recursive_servers[${index}]`, byTls, ca });
    },
    ...Object.fromEntries([...same].map((key) => [key, () => {}])),
  });
}

const overTls = 'GETDNS_TRANSPORT_TLS';
const transportWords = [overTls, 'GETDNS_TRANSPORT_UDP', 'GETDNS_TRANSPORT_TCP'];

/** A word that means nothing may have been meant as the one for TLS: then nothing of the file is read as unencrypted. */
function transportsOf(field: Located | undefined): string[] {
  const words = textsOf(field);
  const unknown = words.find((word) => !transportWords.includes(word));
  if (field !== undefined && (unknown !== undefined || words.length < itemsOf(field).length))
    throw new Unreadable(
      `"${unknown ?? 'dns_transport_list'}" is no transport: write one of ${transportWords.join(', ')}`,
      field.line,
    );
  return words;
}

interface Around {
  about: string;
  byTls: boolean;
  ca: string | null;
}

function takeUpstream(server: Located, taken: Taken, { about, byTls, ca }: Around): void {
  const fields = mapOf(server);
  const parsed = parseSocketAddress(textOf(fields.get('address_data')) ?? '');
  if (parsed === null || parsed.port !== null) {
    taken.tell(about, 'left out: "address_data" is no IP address', server.line);
    return;
  }
  const port = textOf(fields.get(byTls ? 'tls_port' : 'port')) ?? (byTls ? '853' : '53');
  if (!/^\d{1,5}$/.test(port)) {
    taken.tell(about, `left out: "${port}" is no port`, server.line);
    return;
  }
  eachField(fields, taken, upstreamFields, `${about}.`);
  taken.server({
    transport: byTls ? 'dot' : 'udp',
    address: formatSocketAddress(parsed.ip, Number(port)),
    ...(byTls ? { ca, ...authenticationOf(fields) } : { name: null }),
    about,
    line: server.line,
  });
}

const upstreamFields: Readers = Object.fromEntries(
  ['address_data', 'tls_port', 'port', 'tls_auth_name', 'tls_pubkey_pinset'].map((key) => [
    key,
    () => {},
  ]),
);

function authenticationOf(fields: ReadonlyMap<string, Located>) {
  const pins = itemsOf(fields.get('tls_pubkey_pinset')).flatMap(
    (one) => textOf(mapOf(one).get('value')) ?? [],
  );
  return { name: textOf(fields.get('tls_auth_name')), pins };
}
