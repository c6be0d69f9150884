/** The network's own resolver, on the computer itself; each name that it receives has left in cleartext. */
import { locate } from '../rig/available.ts';
import type { Lab } from '../rig/lab.ts';
import { namesHeard, resolverConfiguration } from '../rig/peers/resolver.ts';
import type { Program } from '../rig/process.ts';
import type { InstallTarget } from './install-target.ts';

export class NetworkResolver {
  readonly #program: Program;

  static async start(
    lab: Lab,
    machine: InstallTarget,
    address: string,
    folder = '/srv',
  ): Promise<NetworkResolver> {
    const file = `${folder}/unbound.conf`;
    await machine.write(file, resolverConfiguration({ addresses: [address], names: {} }));
    const unbound = [locate('unbound'), '-d', '-p', '-c', file];
    const resolver = new NetworkResolver(await machine.start(lab, unbound));
    const asked = ['dig', `@${address}`, '+tries=1', '+timeout=1', 'ready.example'];
    await resolver.#program.ready(async () => (await machine.run(asked)).code === 0);
    return resolver;
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  get heard(): string[] {
    return namesHeard(this.#program);
  }
}
