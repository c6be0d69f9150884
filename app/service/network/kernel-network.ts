/**
 * The network as the kernel tells of it.
 * Written by `npm run boundary` from the Rust types; changes belong there.
 */

export type NetworkEvent = {
  'event': 'stirred';
  /** addresses that this machine no longer has */
  gone: Array<string>;
  /** as in `Snapshot::network_changes`; if the number has grown, the network is unknown until `Changed` */
  networkChanges: number;
} | {
  'event': 'changed';
  snapshot: KernelSnapshot;
} | {
  'event': 'woke';
  sleptMs: number;
} | {
  'event': 'blind';
  why: string;
} | {
  'event': 'clock-set';
  byMs: number;
};

export type KernelSnapshot = {
  /** by index */
  interfaces: Array<NetworkInterface>;
  /** of the main table: IPv4 first, then by metric */
  defaultRoutes: Array<DefaultRoute>;
  /** how often, since the watch began, the machine may have left the network it was on */
  networkChanges: number;
};

export type NetworkInterface = {
  index: number;
  name: string;
  /** it was switched on */
  up: boolean;
  /** it has a carrier */
  running: boolean;
  kind: InterfaceKind;
  /** '02:00:5e:10:00:00'; null where the link has none */
  mac: string | null;
  addresses: Array<InterfaceAddress>;
};

export type InterfaceKind = 'loopback' | 'ethernet' | 'wifi' | 'mobile' | 'ppp' | 'tunnel' | 'bridge' | 'virtual' | 'other';

export type InterfaceAddress = {
  ip: string;
  prefixLength: number;
};

export type DefaultRoute = {
  /** 4 or 6, of the addresses that are routed; the gateway may be of the other family (RFC 8950) */
  family: 4 | 6;
  /** null on links without one */
  gateway: string | null;
  /** null as long as the neighbour table does not know it */
  gatewayMac: string | null;
  /** name and index of the interface */
  interface: string;
  interfaceIndex: number;
  metric: number;
};
