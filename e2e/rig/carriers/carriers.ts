/** In the order of the matrix. */
import type { CarrierKind } from './carrier.ts';
import { dnsdist, dnsmasq, dnsmasqThenUnbound, knotForwarder, smartdns } from './forwarders.ts';
import { bind, knotResolver, recursor, unbound } from './resolvers.ts';
import { systemdResolved } from './systemd-resolved.ts';

export const carriers: readonly CarrierKind[] = [
  ...[unbound, bind, knotResolver, recursor],
  ...[knotForwarder, dnsmasq, dnsdist, smartdns, systemdResolved, dnsmasqThenUnbound],
];
