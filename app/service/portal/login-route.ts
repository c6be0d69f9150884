/**
 * The route from a login to one server: it resolves the name at the network's resolvers, judges the addresses, and connects to
 * the first that answers.
 */
import { isIP, type Socket, connect as systemConnect } from 'node:net';
import { canonicalIp } from '../network/ip-address.ts';
import { isOpenAddress, isOpenPort, type Whereabouts } from './destination.ts';
import { hearErrors } from './meeting.ts';
import type { Place } from './place.ts';

/** Both protocols of the port have an answer for each of these. */
export type Refusal = 'forbidden' | 'unresolved' | 'unreachable';

export interface LoginRoute {
  /** `host`: a name or an address. The socket is connected. */
  to(host: string, port: number): Promise<Socket | Refusal>;
}

export interface LoginRouteParts {
  /** addresses that the network's own resolvers give for the name; empty: none */
  resolve(name: string): Promise<string[]>;
  /** as they are now; null: there is no network */
  whereabouts(): (Whereabouts & { place: Pick<Place, 'local'> }) | null;
}

const connectWithin = 5_000;
/** The dozen connections of one page send one query; after a failure the next connection sends a new one. */
const rememberMs = 30_000;
/** A page may name any number of hosts, and each host may have any number of addresses. */
const mostRemembered = 256;
const mostTried = 4;

export function createLoginRoute({ resolve, whereabouts }: LoginRouteParts): LoginRoute {
  const asked = new Map<string, { at: number; addresses: Promise<string[]> }>();

  function addressesOf(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return Promise.resolve([canonicalIp(host)]);
    const known = asked.get(host);
    if (known !== undefined && performance.now() - known.at < rememberMs) return known.addresses;
    const addresses = resolve(host);
    const [oldest] = asked.keys();
    if (asked.size >= mostRemembered && oldest !== undefined) asked.delete(oldest);
    const asking = { at: performance.now(), addresses };
    asked.set(host, asking);
    const forget = () => {
      if (asked.get(host) === asking) asked.delete(host);
    };
    void addresses.then((found) => found.length > 0 || forget(), forget);
    return addresses;
  }

  return {
    async to(text, port) {
      const host = plainHost(text);
      const before = whereabouts();
      if (host === null || before === null || !isOpenPort(host, port, before)) return 'forbidden';
      const addresses = await addressesOf(host);
      // Meanwhile the login may lead elsewhere, or have ended.
      const now = whereabouts();
      if (now === null) return 'forbidden';
      if (addresses.length === 0) return 'unresolved';
      const open = addresses.filter((ip) => isOpenAddress(host, ip, now)).slice(0, mostTried);
      return open.length === 0 ? 'forbidden' : await connectToFirst(open, port, now.place.local);
    },
  };
}

async function connectToFirst(
  addresses: readonly string[],
  port: number,
  local: Place['local'],
): Promise<Socket | Refusal> {
  for (const ip of addresses) {
    const socket = await connect(ip, port, local[isIP(ip) === 6 ? 6 : 4]);
    if (socket !== null) return socket;
  }
  return 'unreachable';
}

/** Null: no name or address that a network could answer for. */
function plainHost(text: string): string | null {
  const host = text.toLowerCase().replace(/\.$/, '');
  if (isIP(host) !== 0) return canonicalIp(host);
  const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host) && host.length <= 253;
  return isName && !/(^|\.)localhost$/.test(host) ? host : null;
}

function connect(ip: string, port: number, localAddress: string | null): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = systemConnect({
      host: ip,
      port,
      ...(localAddress === null ? {} : { localAddress }),
    });
    socket.setTimeout(connectWithin, () => socket.destroy());
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    hearErrors(socket).once('close', () => resolve(null));
  });
}
