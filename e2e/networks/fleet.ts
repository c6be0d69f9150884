/** Two machines of an organisation on one network, and the HTTPS server from which they take their profile. */
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Capture } from '../rig/network/capture.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { gateway } from './local-network.ts';
import { Machine } from './machine.ts';
import { NetworkStage } from './network-stage.ts';
import { ProfileSource, sourceNames, unreachable } from './profile-source.ts';

/** How long a version that does not work may take to come back: four looks in vain, and what a busy machine adds. */
export const comesBackWithinMs = 180_000;

/** Nobody is there. */
export const wrongAddress = '198.51.100.99';

export class Fleet {
  readonly stage: NetworkStage;
  readonly source: ProfileSource;
  readonly canary: SottoService;
  readonly office: SottoService;
  readonly #machines: Map<SottoService, Machine>;

  static async open(lab: Lab): Promise<Fleet> {
    const stage = await NetworkStage.open(lab, { names: sourceNames });
    const source = await ProfileSource.open(lab, stage.internet);
    const second = await Machine.create(lab, 'second');
    await stage.network.plug(second, { advertised: false });
    await second.ip('addr', 'add', '192.168.77.101/24', 'dev', 'eth0');
    await second.ip('route', 'replace', 'default', 'via', gateway.v4, 'dev', 'eth0');
    const start = (on: Machine) =>
      SottoService.start(lab, { upstreams: stage.internet.upstreams }, undefined, {
        on,
        env: source.env,
      });
    const [canary, office] = [await start(stage.client), await start(second)];
    const machines = new Map([
      [canary, stage.client],
      [office, second],
    ]);
    const fleet = new Fleet({ stage, source, canary, office, machines });
    for (const service of [canary, office])
      await eventually('it answers', () => fleet.answers(service, 'far.example'));
    return fleet;
  }

  private constructor(
    parts: Pick<Fleet, 'stage' | 'source' | 'canary' | 'office'> & {
      machines: Map<SottoService, Machine>;
    },
  ) {
    this.stage = parts.stage;
    this.source = parts.source;
    this.canary = parts.canary;
    this.office = parts.office;
    this.#machines = parts.machines;
  }

  upstream(address: string, more: object = {}): object {
    const [first] = this.stage.internet.upstreams;
    const { name, ca } = first ?? {};
    return { id: 'corp', transport: 'dot', address, name, ca, ...more };
  }

  async shown(service: SottoService) {
    const { profile } = await service.call('profile.show', {});
    return { serial: profile?.serial, standsIn: profile?.standsIn };
  }

  /** Looks at the source now; a version for other machines is no failure here. A busy machine may not reach it in time. */
  async look(service: SottoService): Promise<void> {
    await eventually('the source is reached', async () => {
      const { stderr } = await service.cli('profile', 'update', '--json');
      return !stderr.includes(unreachable);
    });
  }

  async answers(service: SottoService, name: string): Promise<boolean> {
    const words = ['@127.0.0.1', '-p', `${service.port}`, name, '+tries=1', '+time=20'];
    const { stdout } = await this.machineOf(service).run('dig', words);
    return stdout.includes('status: NOERROR');
  }

  machineOf(service: SottoService): Machine {
    const machine = this.#machines.get(service);
    if (machine === undefined) throw new Error('the service is on no machine of the fleet');
    return machine;
  }

  async block(address: string): Promise<void> {
    await this.stage.network.namespace.run('sh', ['-ec', blocking, 'sh', address]);
  }

  async unblock(): Promise<void> {
    await this.stage.network.namespace.run('nft', ['delete', 'table', 'inet', 'way']);
  }
}

const blocking = `nft add table inet way
nft add chain inet way through '{ type filter hook forward priority 0; }'
nft add rule inet way through ip daddr "$1" drop`;

export const strict = { downgrade: { value: 'refuse', lock: 'locked' } };
export const allow = ['--allow', 'authorities'];

export async function askedInCleartext(capture: Capture): Promise<string[]> {
  return (await capture.clearQueries()).map(({ name }) => name);
}
