/** stubby.yml, which getdns reads. */
import { Scalar, stringify } from 'yaml';
import { parseSocketAddress } from '../../../../contract/dns/socket-address.ts';
import { left } from '../finding.ts';
import { hashed, headOf } from './comment.ts';
import type { ExportSource } from './export-source.ts';
import type { Plan, Program } from './plan.ts';

export const stubby: Program = {
  name: 'stubby',
  ports: true,
  pins: true,
  certificatePins: false,
  byAddress: false,
  authorities: true,
  groups: false,
  opportunistic: false,
  says: ['bypass', 'listen', 'strategy'],
};

const place = 'Put it into /etc/stubby/stubby.yml.';

export function writeStubby(source: ExportSource, plan: Plan): string {
  const { bypass, strategy, listen } = source.values;
  for (const { suffix } of bypass)
    plan.findings.push(left(`bypass ${suffix}`, 'left out: it goes to the upstreams'));
  if (strategy === 'fastest' || strategy === 'race')
    plan.findings.push(
      left('strategy', `"${strategy}" is left out: stubby asks the upstreams in their order`),
    );
  const listens = source.stated.some(({ key }) => key === 'listen');
  const authorities = plan.upstreams[0]?.ca ?? null;
  const settings = {
    resolution_type: 'GETDNS_RESOLUTION_STUB',
    dns_transport_list: ['GETDNS_TRANSPORT_TLS'],
    tls_authentication: 'GETDNS_AUTHENTICATION_REQUIRED',
    tls_query_padding_blocksize: 128,
    edns_client_subnet_private: 1,
    idle_timeout: 10_000,
    round_robin_upstreams: strategy === 'spread' ? 1 : 0,
    ...(authorities === null ? {} : { tls_ca_file: quoted(authorities) }),
    listen_addresses: listens ? listen.map(withAt).map(plainIp) : ['127.0.0.1', '0::1'],
    upstream_recursive_servers: plan.upstreams.flatMap(({ name, pins, places }) =>
      places.map(({ ip, port }) => ({
        address_data: plainIp(ip),
        tls_port: port,
        ...(name === null ? {} : { tls_auth_name: quoted(name) }),
        ...(pins.length === 0
          ? {}
          : { tls_pubkey_pinset: pins.map((value) => ({ digest: quoted('sha256'), value })) }),
      })),
    ),
  };
  return `${hashed(headOf(source, place, plan.findings))}${stringify(settings)}`;
}

/** getdns takes a word without quotes for a constant, a number or an address. */
function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = 'QUOTE_DOUBLE';
  return scalar;
}

/** A colon at the beginning would be YAML's. */
function plainIp(ip: string): string {
  return ip.startsWith('::') ? `0${ip}` : ip;
}

/** "127.0.0.1:5300" to "127.0.0.1@5300", without brackets. */
export function withAt(text: string): string {
  const parsed = parseSocketAddress(text);
  return parsed === null ? text : `${parsed.ip}@${parsed.port}`;
}
