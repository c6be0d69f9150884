/** The network at one moment: what the kernel says, and what whoever configures its links says of their resolvers. */
import { z } from 'zod';

const address = z.strictObject({ ip: z.string(), prefixLength: z.int().min(0).max(128) });

const networkInterface = z.strictObject({
  index: z.int(),
  name: z.string(),
  /** somebody wants it up */
  up: z.boolean(),
  /** it has a carrier */
  running: z.boolean(),
  kind: z.enum([
    'loopback',
    'ethernet',
    'wifi',
    'mobile',
    'ppp',
    'tunnel',
    'bridge',
    'virtual',
    'other',
  ]),
  mac: z.string().nullable(),
  addresses: z.array(address),
});

const defaultRoute = z.strictObject({
  family: z.union([z.literal(4), z.literal(6)]),
  gateway: z.string().nullable(),
  gatewayMac: z.string().nullable(),
  interface: z.string(),
  interfaceIndex: z.int(),
  metric: z.int(),
});

/** As the native watch tells it (docs/decisions/0009-network-watch.md). */
export const kernelSnapshot = z.strictObject({
  interfaces: z.array(networkInterface),
  defaultRoutes: z.array(defaultRoute),
  /** how often this machine may have left the network it was on, since the watch began */
  moves: z.int().nonnegative(),
});

export const networkEvent = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('changed'), snapshot: kernelSnapshot }),
  z.strictObject({ event: z.literal('blind'), why: z.string() }),
  z.strictObject({ event: z.literal('woke'), sleptMs: z.number().nonnegative() }),
  z.strictObject({ event: z.literal('clock-set'), byMs: z.number() }),
]);

/** Resolvers and domains of one link. */
export interface LinkResolvers {
  /** null: of no link in particular */
  interface: string | null;
  /** "ip:port" each */
  servers: string[];
  domains: LinkDomain[];
  vpn: boolean;
  source: 'resolved' | 'network-manager';
  /** what NetworkManager knows of a link that resolved was told of as well */
  byManager?: Pick<LinkResolvers, 'servers' | 'domains'>;
}

export interface LinkDomain {
  /** without the last dot; empty for the root */
  name: string;
  /** names below it go to this link, but it is not appended to single labels */
  routeOnly: boolean;
}

export type NetworkInterface = z.infer<typeof networkInterface>;
export type DefaultRoute = z.infer<typeof defaultRoute>;
export type KernelSnapshot = z.infer<typeof kernelSnapshot>;
export type NetworkSnapshot = KernelSnapshot & { links: LinkResolvers[] };

export const emptySnapshot: NetworkSnapshot = {
  interfaces: [],
  defaultRoutes: [],
  moves: 0,
  links: [],
};
