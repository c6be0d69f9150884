/**
 * Two machines and the cable between them:
 *
 *     client eth0 ──── near [ wire ] far ──── eth0 far
 *
 * The client's default route leads to the far machine, which answers for whatever addresses a test gives it.
 */
import type { Lab } from '../lab.ts';
import { Capture } from './capture.ts';
import { Namespace } from './namespace.ts';
import { type Shape, Wire } from './wire.ts';

/** Addresses for documentation (RFC 5737, RFC 3849), which no host has. */
export const clientAddress = { v4: '192.0.2.1', v6: '2001:db8::1' } as const;
export const farAddress = { v4: '192.0.2.2', v6: '2001:db8::2' } as const;

interface Addresses {
  v4: string;
  v6: string;
}

interface LinkOptions extends Shape {
  seed?: number;
  /** further addresses of the far machine, such as 198.51.100.53 or 2001:db8:1::53 */
  farAddresses?: string[];
}

export class Link {
  readonly client: Namespace;
  readonly far: Namespace;
  readonly wire: Wire;
  readonly #lab: Lab;
  readonly #cable: Namespace;

  static async open(lab: Lab, options: LinkOptions = {}): Promise<Link> {
    const { seed = 1, farAddresses = [], ...shape } = options;
    const client = await Namespace.create(lab, 'client');
    const far = await Namespace.create(lab, 'far');
    const cable = await Namespace.create(lab, 'wire');
    await join(cable, 'near', client);
    await join(cable, 'far', far);
    await address(client, clientAddress, far, farAddress);
    await address(far, farAddress, client, clientAddress);
    for (const each of farAddresses) await far.ip('addr', 'add', each, 'dev', 'lo', ...nodad(each));
    const wire = await Wire.start(lab, {
      a: `${cable.name}:near`,
      b: `${cable.name}:far`,
      plain: [client, far].map(({ name }) => `${name}:eth0`),
      seed,
    });
    await wire.set(shape);
    return new Link(lab, client, far, cable, wire);
  }

  private constructor(lab: Lab, client: Namespace, far: Namespace, cable: Namespace, wire: Wire) {
    this.#lab = lab;
    this.#cable = cable;
    this.client = client;
    this.far = far;
    this.wire = wire;
  }

  /** Everything that passes the client's end of the cable, both ways, from now on. */
  async capture(): Promise<Capture> {
    return await Capture.start(this.#lab, this.client, 'eth0', farAddress.v4);
  }

  /** Pulls the client's plug: its interface goes down and its routes are gone. */
  async unplug(): Promise<void> {
    await this.client.ip('link', 'set', 'eth0', 'down');
  }

  async plug(): Promise<void> {
    await this.client.ip('link', 'set', 'eth0', 'up');
    await address(this.client, clientAddress, this.far, farAddress);
  }

  /**
   * The client is on another network: it has another IPv4 address, and the old one gets no reply. With its last address a
   * kernel forgets every neighbour, so the gateway's hardware address is told anew; a real gateway is near and gives it at once.
   */
  async moveClientTo(address: string): Promise<void> {
    await knows(this.far, address, this.client);
    await this.client.ip('-4', 'addr', 'flush', 'dev', 'eth0');
    await addressIn('v4', this.client, address, this.far, farAddress.v4);
  }

  /** Pulls the plug at the other end of the client's cable: its interface stays up, without a carrier. */
  async carrier(state: 'up' | 'down'): Promise<void> {
    await this.#cable.ip('link', 'set', 'near', state);
  }
}

/** The cable's own kernel must send nothing on it. */
async function join(cable: Namespace, end: string, station: Namespace): Promise<void> {
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', station.name];
  await cable.ip('link', 'add', end, ...peer);
  await cable.sysctl(`net.ipv6.conf.${end}.disable_ipv6`, 1);
  await cable.ip('link', 'set', end, 'up');
  await station.ip('link', 'set', 'eth0', 'up');
}

async function address(
  station: Namespace,
  own: Addresses,
  peer: Namespace,
  gateway: Addresses,
): Promise<void> {
  await addressIn('v4', station, own.v4, peer, gateway.v4);
  await addressIn('v6', station, own.v6, peer, gateway.v6);
}

/** Both know each other's hardware address from the start, so that the first packet waits no round trip for it. */
async function addressIn(
  family: keyof Addresses,
  station: Namespace,
  own: string,
  peer: Namespace,
  gateway: string,
): Promise<void> {
  const device = ['dev', 'eth0'];
  const prefix = { v4: 24, v6: 64 }[family];
  await station.ip('addr', 'replace', `${own}/${prefix}`, ...device, ...nodad(own));
  await knows(station, gateway, peer);
  await station.ip(`-${family[1]}`, 'route', 'replace', 'default', 'via', gateway, ...device);
}

async function knows(station: Namespace, address: string, peer: Namespace): Promise<void> {
  const lladdr = ['lladdr', await hardwareAddress(peer)];
  await station.ip('neigh', 'replace', address, ...lladdr, 'dev', 'eth0', 'nud', 'permanent');
}

async function hardwareAddress(station: Namespace): Promise<string> {
  const [link] = JSON.parse(await station.ip('-j', 'link', 'show', 'eth0'));
  return link.address;
}

/** Duplicate address detection would keep an IPv6 address unusable for a second. */
function nodad(each: string): string[] {
  return each.includes(':') ? ['nodad'] : [];
}
