/** unbound with names of its own, for each place that answers DNS: that of the internet, a company or a VPN. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../available.ts';
import type { Identity } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import type { Namespace } from '../network/namespace.ts';
import { type Program, run } from '../process.ts';
import {
  knownNames,
  nothingElse,
  secured,
  unboundConfiguration,
  zoneElsewhere,
} from './unbound-configuration.ts';

interface ResolverOptions {
  /** port 53 of each, and 853 where there is an identity */
  addresses: string[];
  /** `wiki.corp.example` → `['A 192.168.77.20']`; holds for every name below, too. All others do not exist. */
  names: Record<string, string[]>;
  /** names of which it says nothing, with all below */
  drops?: string[];
  identity?: Identity;
  /** instead of "does not exist": the resolver that gets the query */
  forwardTo?: string;
  /** `2001:db8:6464::/96`: makes IPv6 addresses below it where there is none (RFC 6147) */
  dns64Prefix?: string;
}

let count = 0;

export class Resolver {
  readonly #program: Program;

  static async start(lab: Lab, on: Namespace, options: ResolverOptions): Promise<Resolver> {
    const file = join(lab.directory, `resolver${++count}.conf`);
    await writeFile(file, resolverConfiguration(options));
    const program = await on.start(locate('unbound'), ['-d', '-p', '-c', file]);
    const resolver = lab.adopt(new Resolver(program));
    const [address] = options.addresses;
    const connecting = on.inside('/bin/bash', ['-c', 'exec 3<>/dev/tcp/$0/53', address ?? '']);
    await program.ready(async () => (await run(...connecting)).code === 0);
    return resolver;
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  /** The names in its queries, in lower case, without the last dot, in their order. */
  get heard(): string[] {
    return namesHeard(this.#program);
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

export function resolverConfiguration(options: ResolverOptions): string {
  const { addresses, names, drops = [], identity, forwardTo, dns64Prefix } = options;
  const ports = identity === undefined ? [53] : [53, 853];
  return unboundConfiguration({
    interfaces: addresses.flatMap((each) => ports.map((port) => `${each}@${port}`)),
    modules: dns64Prefix === undefined ? 'iterator' : 'dns64 iterator',
    server: [
      'log-queries: yes',
      ...(dns64Prefix === undefined ? [] : [`dns64-prefix: ${dns64Prefix}`]),
      'access-control: 0.0.0.0/0 allow',
      'access-control: ::/0 allow',
      ...(identity === undefined ? [] : secured(853, identity)),
      ...knownNames(names),
      ...drops.map((name) => `local-zone: "${name}" deny`),
      ...(forwardTo === undefined ? nothingElse : []),
    ],
    clauses:
      forwardTo === undefined ? [] : zoneElsewhere('forward', '.', `forward-addr: ${forwardTo}`),
  });
}

/** The names in the queries of an unbound with such a configuration: in lower case, without the last dot, in their order. */
export function namesHeard({ stderr }: Program): string[] {
  const lines = stderr.matchAll(/ info: \S+ (\S+)\. \w+ IN$/gm);
  return [...lines].map(([, name = '']) => name.toLowerCase());
}
