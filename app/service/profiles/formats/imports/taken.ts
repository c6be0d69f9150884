/** What is taken from the file of another program, checked as the settings are. */
import { asciiOrSame } from '../../../../contract/dns/ascii-name.ts';
import {
  formatSocketAddress,
  parseSocketAddress,
} from '../../../../contract/dns/socket-address.ts';
import type { BypassRule } from '../../../../contract/settings/bypass-rule.ts';
import { bypassRule } from '../../../../contract/settings/bypass-rule.ts';
import type { GroupSetting } from '../../../../contract/settings/downgrade-policy.ts';
import { groupSetting } from '../../../../contract/settings/downgrade-policy.ts';
import { readRuleNames } from '../../../../contract/settings/rule-words.ts';
import type { FlatSettings } from '../../../../contract/settings/settings.ts';
import {
  type UpstreamSetting,
  upstreamSetting,
} from '../../../../contract/settings/upstream-settings.ts';
import { normalWord, tooWideNames } from '../../../rules/rule-names.ts';
import { knownResolver, type Resolver } from '../../../settings/resolver-catalogue.ts';
import { type Finding, type Looser, left } from '../finding.ts';

/** One server as another program names it. */
export interface Server {
  transport: UpstreamSetting['transport'];
  /** IP address with an optional port */
  address: string | null;
  /** null: the certificate has to be for the address */
  name: string | null;
  /** where only the name was given; null: the usual one */
  port?: number | null;
  pins?: readonly string[];
  certificatePins?: readonly string[];
  ca?: string | null;
  about: string;
  line: number;
}

export interface ImportOptions {
  catalogue: readonly Resolver[];
  allowed: ReadonlySet<Looser>;
}

/** More are a list of resolvers, and not a choice. */
const mostUpstreams = 128;

export class Taken {
  readonly upstreams: UpstreamSetting[] = [];
  readonly bypass: BypassRule[] = [];
  readonly groups: Record<string, GroupSetting> = {};
  readonly findings: Finding[] = [];
  strategy: FlatSettings['strategy'] | null = null;
  readonly #options: ImportOptions;
  readonly #suffixes = new Set<string>();

  constructor(options: ImportOptions) {
    this.#options = options;
  }

  tell(about: string, text: string, line: number | null): void {
    this.findings.push(left(about, text, line));
  }

  /** For all names, or for those of a group. */
  server(server: Server, group?: string): void {
    const { about, line, transport } = server;
    if (!isPrivate(transport) && !this.#options.allowed.has('cleartext')) {
      this.findings.push({
        ...left(about, 'left out: it is unencrypted; if you want that: --allow cleartext', line),
      });
      return;
    }
    const addresses = server.address === null ? this.#known(server) : [server.address];
    if (addresses.length === 0) {
      this.tell(
        about,
        'left out: it has no IP address, and Sotto looks up no names of servers',
        line,
      );
      return;
    }
    if (this.upstreams.length >= mostUpstreams)
      this.tell(about, `left out: ${mostUpstreams} upstreams are taken at most`, line);
    else for (const address of addresses) this.#add({ ...server, address }, group);
  }

  /** Of a resolver that the catalogue knows by its name. */
  #known({ name, port = null }: Server): string[] {
    if (name === null) return [];
    const known = knownResolver({ name }, this.#options.catalogue);
    const ips = (known?.addresses ?? []).map((one) => parseSocketAddress(one)?.ip ?? one);
    return port === null ? ips : ips.map((ip) => formatSocketAddress(ip, port));
  }

  /** Another address of the upstream before, or a new upstream. */
  #add(
    { transport, address, name, pins = [], certificatePins = [], ca = null, about, line }: Server,
    group?: string,
  ): void {
    const facts = {
      transport,
      ...(name === null ? {} : { name: asciiOrSame(name).toLowerCase().replace(/\.$/, '') }),
      ...withoutEmpty({ pins, certificatePins }),
      ...(ca === null ? {} : { ca }),
      ...(group === undefined ? {} : { group }),
    };
    const same = this.upstreams.find(
      (one) => JSON.stringify(factsOf(one)) === JSON.stringify(facts) && 'name' in facts,
    );
    const addresses = [...(same === undefined ? [] : [same.address].flat()), address as string];
    const id = same?.id ?? this.#idOf(name ?? (address as string));
    const read = upstreamSetting.safeParse({ id, ...facts, address: [...new Set(addresses)] });
    if (!read.success) {
      this.tell(about, `left out: ${read.error.issues[0]?.message}`, line);
      return;
    }
    if (same === undefined) this.upstreams.push(read.data);
    else this.upstreams.splice(this.upstreams.indexOf(same), 1, read.data);
  }

  #idOf(text: string): string {
    const known = knownResolver({ name: text }, this.#options.catalogue)?.id;
    const plain = (known ?? text)
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-+/, '')
      .slice(0, 48);
    return this.#free(plain === '' ? 'upstream' : plain);
  }

  #free(wanted: string): string {
    const taken = new Set(this.upstreams.map(({ id }) => id));
    for (let count = 1; ; count++) {
      const id = count === 1 ? wanted : `${wanted}-${count}`;
      if (!taken.has(id)) return id;
    }
  }

  /** Names below `suffix` go to plain resolvers. */
  rule(suffix: string, to: readonly string[], line: number): void {
    const about = `names below ${suffix}`;
    const read = bypassRule.safeParse({ suffix, to: [...new Set(to)] });
    if (!read.success) {
      this.tell(about, `left out: ${read.error.issues[0]?.message}`, line);
      return;
    }
    const names = readRuleNames(read.data.suffix);
    const wide = names === null ? null : tooWideNames(names);
    if (wide !== null)
      this.tell(
        about,
        `left out: unencrypted for ${wide} is a downgrade, which you can only write yourself`,
        line,
      );
    else if (this.#suffixes.has(normalWord(read.data.suffix)))
      this.tell(about, 'left out: there is a rule for them already', line);
    else {
      this.#suffixes.add(normalWord(read.data.suffix));
      this.bypass.push(read.data);
    }
  }

  /** The name of a group for these names; null: they are none. */
  group(names: readonly string[], line: number): string | null {
    const read = groupSetting.safeParse({ names });
    if (!read.success) {
      this.tell(
        `names below ${names.join(', ')}`,
        `left out: ${read.error.issues[0]?.message}`,
        line,
      );
      return null;
    }
    const id = (read.data.names[0] ?? '')
      .replace(/[^A-Za-z0-9.-]+/g, '-')
      .replace(/^[.-]+|\.$/g, '')
      .slice(0, 60);
    if (id === '' || Object.hasOwn(this.groups, id)) {
      this.tell(
        `names below ${names.join(', ')}`,
        'left out: there is a group for them already',
        line,
      );
      return null;
    }
    this.groups[id] = read.data;
    return id;
  }

  /** A group whose upstreams were all refused would leave its names without any. */
  dropEmptyGroups(): void {
    for (const [id, { names }] of Object.entries(this.groups)) {
      if (this.upstreams.some(({ group }) => group === id)) continue;
      delete this.groups[id];
      this.tell(
        `names below ${names.join(', ')}`,
        'left out: none of their servers could be taken, so they go to the other upstreams',
        null,
      );
    }
  }
}

function withoutEmpty(lists: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function factsOf({ id: _, address: __, ...facts }: UpstreamSetting) {
  return facts;
}

function isPrivate(transport: UpstreamSetting['transport']): boolean {
  return transport === 'dot' || transport === 'tdns';
}
