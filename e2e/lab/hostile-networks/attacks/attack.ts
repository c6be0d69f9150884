/** A program or network that changes the system's DNS: what it does each time that it is called. */
import { gateway } from '../../../networks/local-network.ts';
import { advertise } from '../../../networks/router-advertisement.ts';
import type { Computer, ComputerName } from '../computers.ts';

export interface Attack {
  on: ComputerName;
  /** its name in the report */
  words: string;
  overwrite(computer: Computer, time: number): Promise<void>;
  /** Not the called program overwrites, but another one, at a later moment that the test does not see. */
  unseen?: true;
  /** How many names are queried after each change, where the usual number is too small. */
  namesEach?: number;
  /** It changes nothing that Sotto set, so there is no contest. */
  besides?: true;
  /** Removes what it would leave for the next trial. */
  undo?(computer: Computer): Promise<void>;
}

/** The network's DHCP server names another domain in the next lease, which is requested within a second. */
export async function leaseAnew({ leases }: Computer): Promise<void> {
  if (leases === null) throw new Error('nobody asks for a lease on this computer');
  await leases.sayDomain(`d${++domains}.example`);
}

/** NetworkManager accepts about one router advertisement a second, and drops what comes sooner. */
export const namesPerAdvertisement = 24;

/** A router of the network announces its resolver, and another domain each time. */
export async function advertiseAnew({ networkStage }: Computer): Promise<void> {
  await advertise(networkStage.network, gateway.v6, `r${++domains}.example`);
}

/** A domain that was not used in this run yet. */
let domains = 0;
