/** The columns of the matrix: what happens to the path to the resolvers, and to the service. */
import type { Identity } from '../../rig/certificates.ts';
import type { Link } from '../../rig/network/link.ts';
import type { Rule } from '../../rig/network/wire.ts';
import type { SottoServer } from '../../rig/peers/sotto-server.ts';

export interface Fault {
  name: string;
  /** what that is, for readers of the table */
  about: string;
  transport: 'dot' | 'tdns';
  resolvers: 1 | 2;
  /** of the resolvers' addresses */
  family: 'IPv4' | 'IPv6';
  /** it holds before the service starts, so that there was never a private connection */
  fromTheStart?: true;
  /** another private path exists, so nothing may change */
  staysPrivate?: true;
  begin(path: Path): Promise<void>;
  end(path: Path): Promise<void>;
  /** done once the fault has begun and policy has taken effect */
  strike?: Strike;
}

/**
 * `kill`, `stop`, `terminate`: signals to the service alone, under its guardian; `exception`, `panic`: a fault inside ends it, in
 * its control plane or its engine; `kill-alone`: without a guardian, and started again by hand; `hold`: its control plane stands
 * still, its engine goes on.
 */
export type Strike =
  | ('kill' | 'stop' | 'terminate')
  | ('exception' | 'panic')
  | ('kill-alone' | 'hold');

export interface Path {
  link: Link;
  resolvers: SottoServer[];
  /** another server stands in their place for a while */
  impostor: Identity;
}

const tls = { protocol: 'tcp', port: 853 } as const;
const dns = { protocol: 'tcp', port: 53 } as const;

const ports = [tls.port, dns.port];

const blocked: Rule = { do: 'drop', on: tls };
/** On port 53 the ClientHello comes behind STARTTLS. */
const stripped: Rule[] = [{ do: { 'strip-tls': 'alert' } }];

const dotBlocked = onTheWire('DoT blocked', 'port 853 dropped; on port 53 STARTTLS is declined', [
  blocked,
  { do: 'no-tls', on: dns },
]);
const tlsStripped = onTheWire(
  'TLS stripped',
  'each ClientHello gets an alert, on port 853 and behind STARTTLS',
  stripped,
);
const blackHole = onTheWire('black hole', 'nothing arrives any more, in either direction', [
  { do: 'drop' },
]);
const wrongCertificate: Fault = {
  ...plain('wrong certificate', 'somebody else answers, of another authority'),
  begin: ({ resolvers, impostor }) => replace(resolvers, impostor),
  end: ({ resolvers }) => replace(resolvers),
};

export const faults: readonly Fault[] = [
  dotBlocked,
  {
    ...onTheWire('DoT blocked, STARTTLS open', 'port 853 dropped', [blocked]),
    staysPrivate: true,
  },
  tlsStripped,
  {
    ...onTheWire('STARTTLS: NO_TLS', 'for an upstream reached by STARTTLS; port 853 dropped', [
      { do: 'no-tls', on: dns },
      blocked,
    ]),
    transport: 'tdns',
  },
  wrongCertificate,
  onTheWire('RST', 'every TCP connection to ports 853 and 53 is reset', [
    { do: { reset: 'both' }, on: tls },
    { do: { reset: 'both' }, on: dns },
  ]),
  blackHole,
  {
    ...plain('upstream dead', 'the first of two resolvers is silent'),
    resolvers: 2,
    staysPrivate: true,
    begin: async ({ link, resolvers: [first] }) => {
      await link.wire.rules({ do: 'drop', on: { address: first?.tls.address ?? '' } });
    },
    end: ({ link }) => link.wire.rules(),
  },
  {
    ...plain('all upstreams dead', 'both resolvers killed; their machine refuses'),
    resolvers: 2,
    begin: async ({ resolvers }) => {
      for (const resolver of resolvers) await resolver.kill();
    },
    end: async ({ resolvers }) => {
      for (const resolver of resolvers) await resolver.start();
    },
  },
  ...[dotBlocked, tlsStripped, blackHole].map(overIpv6),
  ...[dotBlocked, tlsStripped, blackHole, wrongCertificate].map(fromTheStart),
  struck('service killed, guarded', 'TLS stripped, then SIGKILL; the guardian restarts it', 'kill'),
  struck(
    'service killed, alone',
    'TLS stripped, then SIGKILL; started again by hand',
    'kill-alone',
  ),
  struck('service terminated', 'TLS stripped, then SIGTERM to the service alone', 'terminate'),
  struck('uncaught exception', 'TLS stripped, then a bug ends the service', 'exception'),
  struck('engine panics', 'TLS stripped, then a panic in the engine’s thread', 'panic'),
  struck('service stopped', 'TLS stripped, then SIGSTOP; the guardian notices', 'stop'),
  struck(
    'control plane stopped',
    'TLS stripped, then its thread is held; the engine goes on alone',
    'hold',
  ),
];

/**
 * Open connections are ended, so that the rules hold for all; where packets are dropped this is left out, because the reset would
 * be a hint.
 */
function onTheWire(name: string, about: string, rules: Rule[]): Fault {
  const silent = rules.flatMap((rule) => (rule.do === 'drop' ? (rule.on?.port ?? ports) : []));
  return {
    ...plain(name, about),
    begin: async ({ link: { wire } }) => {
      await wire.rules(...rules);
      for (const port of ports) if (!silent.includes(port)) await wire.cut({ port });
    },
    end: ({ link: { wire } }) => wire.rules(),
  };
}

function overIpv6(fault: Fault): Fault {
  const about = 'the same, with a resolver that has an IPv6 address';
  return { ...fault, name: `${fault.name}, over IPv6`, about, family: 'IPv6' };
}

function fromTheStart(fault: Fault): Fault {
  const about = 'the same, before the service has ever reached its resolver';
  return { ...fault, name: `${fault.name} from the start`, about, fromTheStart: true };
}

function struck(name: string, about: string, strike: Strike): Fault {
  return { ...onTheWire(name, about, stripped), strike };
}

function plain(name: string, about: string): Fault {
  const nothing = async () => {};
  return {
    ...{ name, about, transport: 'dot', resolvers: 1, family: 'IPv4' },
    ...{ begin: nothing, end: nothing },
  };
}

async function replace(resolvers: SottoServer[], by?: Identity): Promise<void> {
  for (const resolver of resolvers) {
    await resolver.kill();
    await resolver.start(by);
  }
}
