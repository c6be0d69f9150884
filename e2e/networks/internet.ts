/**
 * What is behind every network here: a resolver that responds in cleartext to everybody, and over authenticated TLS, which makes
 * it the private upstream; and some names with addresses.
 */
import { fileURLToPath } from 'node:url';
import { CertificateAuthority } from '../rig/certificates.ts';
import type { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';

/** Addresses for documentation, which belong to nobody (RFC 5737, RFC 3849). */
const resolverAddresses = {
  v4: ['198.51.100.53', '198.51.100.54'],
  v6: ['2001:db8:53::53', '2001:db8:53::54'],
} as const;
const serverName = 'dns.far.example';
export const webAddress = { v4: '203.0.113.7', v6: '2001:db8:7::7' } as const;
const web = [`A ${webAddress.v4}`, `AAAA ${webAddress.v6}`];
const webServer = fileURLToPath(new URL('./web-server.ts', import.meta.url));
/** Names that systems use to find out whether they are online; `web-server.ts` serves them. */
const connectivityNames = [
  ...['nmcheck.gnome.org', 'network-test.debian.net', 'detectportal.firefox.com'],
  ...['connectivitycheck.gstatic.com', 'captive.apple.com', 'www.msftconnecttest.com'],
];
/** Names without an IPv6 address; from the second, a host learns how a network makes such addresses (RFC 7050). */
const oldNames = {
  'old.example': [`A ${webAddress.v4}`],
  'ipv4only.arpa': ['A 192.0.0.170', 'A 192.0.0.171'],
};
const publicNames = ['far.example', 'bank.example', ...connectivityNames];

/** An upstream with the authority to trust, as in settings.json. */
interface Upstream {
  id: string;
  transport: 'dot';
  address: string[];
  name: string;
  ca: string;
}

export class Internet {
  readonly namespace: Namespace;
  readonly resolver: Resolver;
  readonly upstreams: Upstream[];

  /** `names` besides far.example and bank.example, and those of connectivity checks. */
  static async start(lab: Lab, names: Record<string, string[]> = {}): Promise<Internet> {
    const namespace = await Namespace.create(lab, 'internet');
    const { v4, v6 } = resolverAddresses;
    const all = [...v4, ...v6, webAddress.v4, webAddress.v6];
    await namespace.ipAll(
      ...all.map((each) => `addr add ${each} dev lo${each.includes(':') ? ' nodad' : ''}`),
    );
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: [`DNS:${serverName}`] });
    const resolver = await Resolver.start(lab, namespace, {
      addresses: [...v4, ...v6],
      names: {
        ...Object.fromEntries(publicNames.map((name) => [name, web])),
        ...oldNames,
        ...names,
      },
      identity,
    });
    const pages = lab.adopt(
      await namespace.start(process.execPath, [webServer, ...Object.values(webAddress)]),
    );
    await pages.ready(async () => pages.stdout.includes('listening'));
    const upstreams = v4.map((address, index) => ({
      id: index === 0 ? 'first' : 'second',
      transport: 'dot' as const,
      address: [address, v6[index] ?? ''],
      name: serverName,
      ca: authority.certificate,
    }));
    return new Internet(namespace, resolver, upstreams);
  }

  private constructor(namespace: Namespace, resolver: Resolver, upstreams: Upstream[]) {
    this.namespace = namespace;
    this.resolver = resolver;
    this.upstreams = upstreams;
  }

  /** The resolver to which the network's own resolver forwards. */
  get openResolver(): string {
    return resolverAddresses.v4[0];
  }
}
