/**
 * A hotspot's login on the gateway of a network. Until somebody is logged in, HTTP leads to its web server, DNS on port 53 to its
 * resolver whatever its destination, and all else (TLS, DNS over TLS, IPv6) is refused.
 */
import { fileURLToPath } from 'node:url';
import { locate } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import type { Lab } from '../rig/lab.ts';
import { type Program, succeed } from '../rig/process.ts';
import { gateway, type LocalNetwork } from './local-network.ts';
import type { Machine } from './machine.ts';
import type { PortalPages } from './portal-server.ts';

interface PortalOptions {
  /** two stages are two pages on different hosts */
  stages?: 1 | 2;
  /** the second page is fetched over TLS, and the first handshake for it never ends */
  stallsSecond?: boolean;
  /** only HTTP is redirected, or refused over IPv6, and all else goes through: an attack on a network without a portal */
  faked?: boolean;
  /** where the redirect leads instead of the portal's own name; the gateway answers HTTP for it */
  leadsTo?: string;
  /** DHCP does not say where the API is */
  silent?: boolean;
  /** requests to unused addresses are not redirected, so that only names reveal the portal */
  leavesAddresses?: boolean;
}

interface Visit {
  host: string;
  path: string;
  method: string;
}

const zone = 'hotel.example';
const hosts = { first: `portal.${zone}`, second: `rooms.${zone}`, assets: `cdn.${zone}` } as const;
/** Names that a login looks up, and nothing else should. */
export const portalNames: readonly string[] = Object.values(hosts);
export const portalApi = `https://${hosts.first}/api`;
const redirectPort = 8080;
const serverFile = fileURLToPath(new URL('./portal-server.ts', import.meta.url));

export class Portal {
  /** PEM file of the authority that signed the API's and the pages' certificate */
  readonly ca: string;
  readonly #network: LocalNetwork;
  readonly #server: Program;

  static async start(
    lab: Lab,
    network: LocalNetwork,
    options: PortalOptions = {},
  ): Promise<Portal> {
    const { stages = 2, faked = false, leadsTo = hosts.first, silent = false } = options;
    const { leavesAddresses = false, stallsSecond = false } = options;
    await network.configureDnsmasq([
      `address=/${zone}/${gateway.v4}`,
      ...(silent ? [] : [`dhcp-option-force=114,${portalApi}`]),
      ...(silent ? [] : [`dhcp-option-force=option6:103,${portalApi}`]),
    ]);
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: [`DNS:${hosts.first}`, `DNS:${hosts.second}`] });
    const pages: PortalPages = {
      address: gateway.v4,
      host: leadsTo,
      secondHost: stages === 2 ? hosts.second : null,
      stallsSecond,
      assetHost: hosts.assets,
      certificate: identity.certificate,
      key: identity.key,
      nft: locate('nft'),
      redirectPort,
    };
    const args = [serverFile, JSON.stringify(pages)];
    const server = lab.adopt(await network.namespace.start(process.execPath, args));
    await server.ready(async () => server.stdout.includes('"listening"'));
    const portal = new Portal(authority.certificate, network, server);
    await portal.#nft(rules(faked, leavesAddresses));
    return portal;
  }

  private constructor(ca: string, network: LocalNetwork, server: Program) {
    this.ca = ca;
    this.#network = network;
    this.#server = server;
  }

  /** Every request, in order. */
  get visits(): Visit[] {
    const lines = this.#server.stdout.split('\n').filter((line) => line.includes('"host"'));
    return lines.map((line) => JSON.parse(line) as Visit);
  }

  /** Resolves when a client waits for the handshake that never ends. */
  get stalled(): boolean {
    return this.#server.stdout.includes('"stalled"');
  }

  /** Lets the machine trust the portal's authority, as real machines trust that of most portals. */
  async trustedBy(machine: Machine): Promise<void> {
    const bundle = '/etc/ssl/certs/ca-certificates.crt';
    await machine.shell('mkdir -p "$(dirname "$2")"; cat "$1" >> "$2"', this.ca, bundle);
  }

  /** Logs the machine in, as if it had been through every page. */
  async admit(machine: Machine): Promise<void> {
    await this.#nft(`add element inet portal admitted { ${await hardwareAddress(machine)} }`);
  }

  /** Ends the login, as when the paid hour is over. */
  async expel(): Promise<void> {
    await this.#nft('flush set inet portal admitted');
  }

  async isAdmitted(machine: Machine): Promise<boolean> {
    const set = await this.#nft('list set inet portal admitted');
    return set.includes(await hardwareAddress(machine));
  }

  async #nft(script: string): Promise<string> {
    return await succeed(...this.#network.namespace.inside(locate('nft'), [script]));
  }
}

async function hardwareAddress(machine: Machine): Promise<string> {
  const [link] = JSON.parse(await machine.ip('-j', 'link', 'show', 'eth0'));
  return link.address;
}

/** Matches packets from the lan whose sender is not in the set. */
function rules(faked: boolean, leavesAddresses: boolean): string {
  const stranger = 'iifname "lan" ether saddr != @admitted';
  const left = leavesAddresses ? `{ ${gateway.v4}, 192.0.2.0/24 }` : gateway.v4;
  const web = `${stranger} ip daddr != ${left} tcp dport 80 redirect to :${redirectPort}`;
  const web6 = `${stranger} ip6 version 6 tcp dport 80 reject with tcp reset`;
  const dns = `${stranger} meta l4proto { tcp, udp } th dport 53 redirect`;
  return `table inet portal {
  set admitted { type ether_addr; }
  chain astray {
    type nat hook prerouting priority dstnat;
    ${web}
    ${faked ? '' : dns}
  }
  chain closed {
    type filter hook forward priority filter;
    ${faked ? web6 : `${stranger} meta l4proto tcp reject with tcp reset`}
    ${faked ? '' : `${stranger} reject`}
  }
}`;
}
