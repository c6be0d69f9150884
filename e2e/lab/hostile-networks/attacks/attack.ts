/** Somebody who fights for the system's DNS: what they do, once each time that they are called. */
import { gateway } from '../../../networks/local-network.ts';
import { advertise } from '../../../networks/router-advertisement.ts';
import type { Computer, ComputerName } from '../computers.ts';

export interface Attack {
  on: ComputerName;
  /** what stands in the report */
  words: string;
  overwrite(computer: Computer, time: number): Promise<void>;
  /** Something else than the program that was called overwrites, at a moment after it that nobody sees. */
  unseen?: true;
  /** So many names are asked after each time, where a usual trial's are too few for it. */
  namesEach?: number;
  /** It changes nothing of what Sotto told, and contests nothing. */
  besides?: true;
  /** What would be left of it for the next trial. */
  undo?(computer: Computer): Promise<void>;
}

/** The network's DHCP server says another domain in the next lease, which is asked for within a second. */
export async function leaseAnew({ leases }: Computer): Promise<void> {
  if (leases === null) throw new Error('nobody asks for a lease on this computer');
  await leases.sayDomain(`d${++domains}.example`);
}

/** NetworkManager hears a router once in about a second: what comes sooner it drops. */
export const namesPerAdvertisement = 24;

/** A router of the network says its resolver, and another domain each time. */
export async function advertiseAnew({ networkStage }: Computer): Promise<void> {
  await advertise(networkStage.network, gateway.v6, `r${++domains}.example`);
}

/** Nothing says the same twice in a run. */
let domains = 0;
