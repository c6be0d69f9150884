/**
 * A computer with the installed service, helper and gate, that asks a new name each 50 ms, in a network that may be left:
 * its cable is pulled and plugged in again.
 */
import type { LedgerEntry } from '../../../app/contract/ledger-entry.ts';
import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import type { SystemDnsDetails, SystemDnsStatus } from '../../../app/contract/system-dns.ts';
import { AskingProgram } from '../../networks/asking-program.ts';
import { Gate } from '../../networks/gate.ts';
import { Helper } from '../../networks/helper.ts';
import { InstalledService } from '../../networks/installed-service.ts';
import { gateway } from '../../networks/local-network.ts';
import { NetworkManager } from '../../networks/network-manager.ts';
import { Resolved, resolvectl } from '../../networks/resolved.ts';
import { World } from '../../networks/world.ts';
import { eventually } from '../../system/eventually.ts';
import type { Lab } from '../../system/lab.ts';
import { type AttackName, attacks, type Mechanism } from './attack.ts';

export type Policy = 'refuse' | 'warn' | 'fallback';

export interface Trial {
  attack: AttackName;
  policy: Policy;
  /** how often it overwrites, and how many names are asked after each time */
  times: number;
  namesEach: number;
}

export interface Outcome {
  trial: Trial;
  /** names that were asked for */
  asked: number;
  /** those that the network's resolver heard: within the first moment of the first overwrite, and later */
  inFirstMoment: number;
  later: number;
  /** what stood at the end */
  closed: boolean;
  mechanism: string | null;
  verdict: string | null;
  /** a ledger entry of class contested stood */
  entry: boolean;
}

/** What is asked while a first overwrite is noticed is excepted, and counted. */
export const firstMomentMs = 50;

export class Stage {
  readonly world: World;
  readonly #lab: Lab;
  readonly #service: InstalledService;
  #word = 0;

  static async open(lab: Lab, mechanism: Mechanism): Promise<Stage> {
    const world = await World.open(lab, {
      addresses: mechanism === 'network-manager' ? 'none' : 'static',
    });
    const { client } = world;
    if (mechanism !== 'file') await client.startBus();
    if (mechanism === 'resolved') {
      await Resolved.start(lab, client);
      await client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
    }
    if (mechanism === 'network-manager') {
      await NetworkManager.start(lab, client, { dns: 'default' });
      await eventually('a resolver', async () =>
        (await client.read('/etc/resolv.conf')).includes(gateway.v4),
      );
    }
    await Helper.start(lab, client);
    await Gate.start(lab, client);
    const service = await InstalledService.start(lab, client, {
      upstreams: world.internet.upstreams.slice(0, 1),
      systemResolvers: 'auto',
    });
    const stage = new Stage(lab, world, service);
    await service.json('system', 'take');
    await stage.#isTaken();
    return stage;
  }

  private constructor(lab: Lab, world: World, service: InstalledService) {
    this.#lab = lab;
    this.world = world;
    this.#service = service;
  }

  async attempt(trial: Trial): Promise<Outcome> {
    await this.#service.json('config', 'set', 'downgrade', trial.policy);
    await this.#leaveNetwork();
    const asking = await AskingProgram.start(this.#lab, this.world.client, `n${++this.#word}x`);
    await asking.more(5);
    let first = Number.POSITIVE_INFINITY;
    for (let time = 1; time <= trial.times; time++) {
      await attacks[trial.attack].overwrite(this.world, time);
      first = Math.min(first, Date.now());
      await asking.more(trial.namesEach);
    }
    const { clear, verdict } = await this.#service.json<
      ServiceStatus & { verdict?: { verdict: string } }
    >('status');
    const { contest, mechanism } = await this.#systemDns();
    await asking.stop();
    const leaked = asking.leaked(this.world.network.heard);
    const isLater = (at: number) => at > first + firstMomentMs;
    return {
      trial,
      asked: asking.asked,
      inFirstMoment: leaked.filter((at) => !isLater(at)).length,
      later: leaked.filter(isLater).length,
      closed: contest?.closed ?? false,
      mechanism,
      verdict: verdict?.verdict ?? null,
      entry: clear.some(({ class: kind }: LedgerEntry) => kind === 'contested'),
    };
  }

  /** What an earlier trial did is over: another stay begins, and everything is with us. */
  async #leaveNetwork(): Promise<void> {
    const { client, network } = this.world;
    await client.shell(
      'for each in $(ls /sys/class/net | grep "^tun"); do ip link del "$each"; done',
    );
    await network.carrier('down');
    await eventually('the cable is out', async () =>
      (await this.#service.json<ServiceStatus>('status')).health.some(
        ({ code }) => code === 'no-network',
      ),
    );
    await network.carrier('up');
    await this.#service.json('system', 'take');
    await this.#isTaken();
  }

  async #isTaken(): Promise<void> {
    await eventually(
      'the system asks Sotto, and nobody contests it',
      async () => {
        const { taken, contest } = await this.#systemDns();
        const known = await this.world.client.run('getent', ['ahostsv4', 'far.example']);
        return taken && contest === null && known.code === 0;
      },
      30_000,
    );
  }

  async #systemDns(): Promise<SystemDnsStatus> {
    const { status } = await this.#service.json<SystemDnsDetails>('system', 'status');
    if (status === null) throw new Error('this service knows no way to the system DNS');
    return status;
  }
}
