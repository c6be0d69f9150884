/** A computer, the network it is in, and what is behind that. */

import type { Lab } from '../rig/lab.ts';
import { Capture } from '../rig/network/capture.ts';
import { Internet } from './internet.ts';
import { gateway, LocalNetwork } from './local-network.ts';
import { Machine } from './machine.ts';

interface NetworkStageOptions {
  /**
   * 'static': it has an address at once, an /etc/resolv.conf with the gateway, and takes nothing from router advertisements; 'none'
   * leaves all this to NetworkManager and the kernel
   */
  addresses?: 'static' | 'none';
  /** further lines of dnsmasq's configuration, such as `dhcp-option-force=114,https://…` */
  dnsmasq?: string[];
  /** the network gives addresses of IPv4 by DHCP; false: a `DhcpServer` does */
  leases?: boolean;
  /** further names that the internet knows */
  names?: Record<string, string[]>;
}

export class NetworkStage {
  readonly client: Machine;
  readonly network: LocalNetwork;
  readonly internet: Internet;
  readonly #lab: Lab;

  static async open(lab: Lab, options: NetworkStageOptions = {}): Promise<NetworkStage> {
    const internet = await Internet.start(lab, options.names);
    const network = await LocalNetwork.start(lab, internet, options.dnsmasq, options.leases);
    const client = await Machine.create(lab, 'client');
    const advertised = options.addresses === 'none';
    await network.plug(client, { advertised });
    if (!advertised) await network.addressStation(client);
    return new NetworkStage(lab, client, network, internet);
  }

  private constructor(lab: Lab, client: Machine, network: LocalNetwork, internet: Internet) {
    this.#lab = lab;
    this.client = client;
    this.network = network;
    this.internet = internet;
  }

  /** Captures everything that passes the client's eth0 from now on. `reachable`: an address behind it. */
  async capture(reachable: string = gateway.v4): Promise<Capture> {
    return await Capture.start(this.#lab, this.client.namespace, 'eth0', reachable);
  }
}
