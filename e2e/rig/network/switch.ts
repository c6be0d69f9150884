/** Machines on one IPv4 network, joined by a bridge in a namespace of its own; each has a namespace and is plugged in with its eth0. */
import type { Lab } from '../lab.ts';
import { Namespace } from './namespace.ts';

export class Switch {
  readonly #lab: Lab;
  readonly #namespace: Namespace;
  #ports = 0;

  static async create(lab: Lab): Promise<Switch> {
    const namespace = await Namespace.create(lab, 'switch');
    await namespace.ip('link', 'add', 'lan', 'type', 'bridge');
    await namespace.ip('link', 'set', 'lan', 'up');
    return new Switch(lab, namespace);
  }

  private constructor(lab: Lab, namespace: Namespace) {
    this.#lab = lab;
    this.#namespace = namespace;
  }

  /** A new machine; its addresses are such as 192.0.2.1/24. */
  async plugIn(purpose: string, addresses: readonly string[]): Promise<Namespace> {
    const machine = await Namespace.create(this.#lab, purpose);
    const port = `port${++this.#ports}`;
    const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', machine.name];
    await this.#namespace.ip('link', 'add', port, ...peer);
    await this.#namespace.ip('link', 'set', port, 'master', 'lan', 'up');
    await machine.sysctl('net.ipv6.conf.eth0.disable_ipv6', 1);
    await machine.ip('link', 'set', 'eth0', 'up');
    for (const address of addresses) await machine.ip('addr', 'add', address, 'dev', 'eth0');
    return machine;
  }
}
