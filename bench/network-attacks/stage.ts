/** A network with a server, everybody else on one machine with many addresses, and a victim whose address is forged. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { Namespace } from '../../e2e/rig/network/namespace.ts';
import { Switch } from '../../e2e/rig/network/switch.ts';
import type { Program } from '../../e2e/rig/process.ts';
import { programPath } from '../debian.ts';
import { clientProcessor } from '../server/clients.ts';
import { inTheGaps, type Network } from '../server/network.ts';
import { dnsdist, sotto, unbound } from '../server/servers.ts';

/** All are in 198.18.0.0/15, which is for measurements (RFC 2544). */
const serverAddress = '198.18.0.1';
const others = '198.18.0.2';
export const victim = '198.18.200.1';
/** of those who come while an attack goes on */
export const newcomers = '198.18.100.1';
export const attackers = {
  'a network each': attackersIn((index) => `198.18.${index + 1}.1`),
  'one network': attackersIn((index) => `198.18.50.${index + 1}`),
} as const;
export type Neighbourhood = keyof typeof attackers;

export const attacked = [sotto, unbound, dnsdist] as const;

function attackersIn(address: (index: number) => string): string[] {
  return Array.from({ length: 9 }, (_each, index) => address(index));
}

export class Stage {
  readonly server: Namespace;
  readonly others: Namespace;
  readonly victim: Namespace;

  static async create(lab: Lab): Promise<Stage> {
    const lan = await Switch.create(lab);
    const all = [others, newcomers, ...Object.values(attackers).flat()];
    const stage = new Stage(
      await lan.plugIn('server', [`${serverAddress}/15`]),
      await lan.plugIn(
        'others',
        all.map((address) => `${address}/15`),
      ),
      await lan.plugIn('victim', [`${victim}/15`]),
    );
    // whatever answers forged addresses leads there
    await stage.server.ip('route', 'add', 'default', 'via', others);
    for (const which of ['all', 'eth0'])
      await stage.server.sysctl(`net.ipv4.conf.${which}.rp_filter`, 0);
    return stage;
  }

  private constructor(server: Namespace, others: Namespace, victim: Namespace) {
    this.server = server;
    this.others = others;
    this.victim = victim;
  }

  get network(): Network {
    return {
      address: serverAddress,
      startServer: (command, args) => this.server.start(command, args),
      startClient: (command, args) => this.others.start(command, args),
    };
  }

  async attack(command: string, args: string[]): Promise<Program> {
    const { startClient } = inTheGaps(this.network);
    return await startClient('taskset', ['-c', clientProcessor, command, ...args]);
  }

  /** hping3 with these words, to the server. */
  async forge(...words: string[]): Promise<Program> {
    const hping = programPath('hping3');
    return await this.attack(hping, ['-q', '-I', 'eth0', ...words, serverAddress]);
  }
}

export interface Traffic {
  packets: number;
  /** of IP packets */
  octets: number;
}

const ethernetHeader = 14;

/** What a machine has received or sent so far. */
export async function traffic(machine: Namespace, direction: 'rx' | 'tx'): Promise<Traffic> {
  const files = ['packets', 'bytes'].map(
    (each) => `/sys/class/net/eth0/statistics/${direction}_${each}`,
  );
  const { stdout } = await machine.run('cat', files);
  const [packets = 0, octets = 0] = stdout.trim().split('\n').map(Number);
  return { packets, octets: octets - packets * ethernetHeader };
}

export function since(before: Traffic, now: Traffic): Traffic {
  return { packets: now.packets - before.packets, octets: now.octets - before.octets };
}

/** Packets a second that reach a machine. */
export async function rateAt(machine: Namespace, milliseconds: number): Promise<number> {
  const before = await traffic(machine, 'rx');
  await pause(milliseconds);
  return (since(before, await traffic(machine, 'rx')).packets * 1000) / milliseconds;
}
