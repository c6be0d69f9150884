/** The network's own resolver, on the computer itself: whatever it hears has left in clear. */
import { locate } from '../rig/available.ts';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

export class NetworkResolver {
  readonly #program: Program;

  static async start(
    lab: Lab,
    machine: Machine,
    address: string,
    folder = '/srv',
  ): Promise<NetworkResolver> {
    const file = `${folder}/unbound.conf`;
    await machine.write(file, configuration(address).join('\n'));
    const unbound = [locate('unbound'), '-d', '-p', '-c', file];
    const resolver = new NetworkResolver(await machine.start(lab, unbound));
    const asked = ['dig', `@${address}`, '+tries=1', '+timeout=1', 'ready.example'];
    await resolver.#program.ready(async () => (await machine.run(asked)).code === 0);
    return resolver;
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  /** In lower case, without the last dot. */
  get heard(): string[] {
    const lines = this.#program.stderr.matchAll(/ info: \S+ (\S+)\. \w+ IN$/gm);
    return [...lines].map(([, name = '']) => name.toLowerCase());
  }
}

function configuration(address: string): string[] {
  return [
    'server:',
    '  use-syslog: no',
    '  log-queries: yes',
    '  username: ""',
    '  chroot: ""',
    '  pidfile: ""',
    '  module-config: "iterator"',
    `  interface: ${address}@53`,
    '  access-control: 0.0.0.0/0 allow',
    '  local-zone: "." static',
    '  local-data: ". NS ns.example"',
    'remote-control:',
    '  control-enable: no',
  ];
}
