/**
 * Computers whose programs resolve names by one mechanism or another; Sotto has to find out which. Each says what its programs
 * are told about DNS.
 */

import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { gateway } from './local-network.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';
import { addRecord, installResolvconf } from './resolvconf.ts';
import { Resolved, resolvectl, stubAddress } from './resolved.ts';

export const mechanisms = ['file', 'resolved', 'resolvconf', 'network-manager'] as const;
export type MechanismName = (typeof mechanisms)[number];

export class Computer {
  readonly mechanism: MechanismName;
  readonly networkStage: NetworkStage;
  /** the object of its link on the bus; null where it has no resolved */
  readonly #link: string | null;

  static async open(lab: Lab, mechanism: MechanismName): Promise<Computer> {
    if (mechanism === 'network-manager') return new Computer(mechanism, await managed(lab), null);
    const networkStage = await NetworkStage.open(lab);
    const { client } = networkStage;
    if (mechanism === 'resolvconf') {
      await installResolvconf(client, 'resolvconf');
      await addRecord(client, 'eth0', `nameserver ${gateway.v4}`);
    }
    if (mechanism !== 'resolved') return new Computer(mechanism, networkStage, null);
    await client.startBus();
    const resolved = await Resolved.start(lab, client);
    await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    await client.succeed(resolvectl, 'domain', 'eth0', 'corp.example');
    const found = await resolved.call('GetLink', 'i', `${await resolved.linkIndex('eth0')}`);
    return new Computer(mechanism, networkStage, /"(.*)"/.exec(found)?.[1] ?? '');
  }

  private constructor(mechanism: MechanismName, networkStage: NetworkStage, link: string | null) {
    this.mechanism = mechanism;
    this.networkStage = networkStage;
    this.#link = link;
  }

  /** Where Sotto listens: resolv.conf has no ports. */
  get port(): number {
    return this.mechanism === 'resolved' ? 5300 : 53;
  }

  /** What programs send their queries to, as words of dig; none: what resolv.conf says. */
  get asked(): string[] {
    return this.mechanism === 'resolved' ? [`@${stubAddress}`] : [];
  }

  /** All that programs are told about DNS, and what else a mechanism was told, as text to compare. */
  async systemDns(): Promise<string> {
    const { client } = this.networkStage;
    if (this.#link === null)
      return await client.shell(
        'readlink /etc/resolv.conf || :; cat /etc/resolv.conf; ls /run/NetworkManager/conf.d 2>&- || :',
      );
    const get = ['call', 'org.freedesktop.resolve1', this.#link];
    const all = [...get, 'org.freedesktop.DBus.Properties', 'GetAll', 's'];
    const said = await client.succeed('busctl', ...all, 'org.freedesktop.resolve1.Link');
    // the server that it used last
    return said.replace(/"CurrentDNSServer".*(?="Domains")/, '');
  }

  /** Whether it leads to Sotto. */
  async isOurs(): Promise<boolean> {
    const told = await this.systemDns();
    if (this.#link === null) return /^nameserver 127\.0\.0\.1$/m.test(told);
    return told.includes(`2 4 127 0 0 1 ${this.port} ""`) && told.includes('"." true');
  }
}

async function managed(lab: Lab): Promise<NetworkStage> {
  const stage = await NetworkStage.open(lab, { addresses: 'none' });
  await stage.client.startBus();
  await NetworkManager.start(lab, stage.client, { dns: 'default' });
  await eventually('the servers of the lease and of the router', async () => {
    const told = await stage.client.read('/etc/resolv.conf');
    return told.includes(gateway.v4) && told.includes(gateway.v6);
  });
  return stage;
}
