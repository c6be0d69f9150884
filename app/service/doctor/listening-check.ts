/** Whether programs get an answer at the addresses, or, without a service, whether it could have them. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { probedAtAddresses } from '../../contract/protection/own-probes.ts';
import { say } from '../../contract/sentences/sentence.ts';
import { type Finding, fail, ok } from './finding.ts';

/** One query to an address over a fresh connection: how long it took, and why there was no response. */
export type AskAddress = (
  query: { name: string; type: string },
  way: 'udp' | 'tcp',
  address: string,
) => Promise<{ ms: number; error: string | null }>;

export async function checkListening(
  addresses: readonly string[],
  ask: AskAddress,
): Promise<Finding[]> {
  if (addresses.length === 0)
    return [fail('listening', say('listening-nowhere'), say('see-status-for-reason'))];
  return await Promise.all(addresses.map((address) => askBothWays(address, ask)));
}

async function askBothWays(address: string, ask: AskAddress): Promise<Finding> {
  const asked = await Promise.all(
    (['udp', 'tcp'] as const).map(async (way) => ({
      way,
      ...(await ask(probedAtAddresses, way, reachable(address))),
    })),
  );
  const silent = asked.flatMap(({ way, error }) =>
    error === null ? [] : [`${way.toUpperCase()}: ${error}`],
  );
  if (silent.length > 0)
    return fail(
      'listening',
      say('listening-silent', { address, errors: silent.join('; ') }),
      say('check-loopback-firewall'),
      address,
    );
  const [udp = 0, tcp = 0] = asked.map(({ ms }) => ms);
  return ok('listening', say('listening-answers', { address, udp, tcp }), address);
}

/** No program can send a query to "any address". */
function reachable(address: string): string {
  const parsed = parseSocketAddress(address);
  if (parsed?.port == null) return address;
  if (parsed.ip === '0.0.0.0') return formatSocketAddress('127.0.0.1', parsed.port);
  return parsed.ip === '::' ? formatSocketAddress('::1', parsed.port) : address;
}

export async function checkFreeAddresses(addresses: readonly string[]): Promise<Finding[]> {
  return await Promise.all(
    addresses.map(async (address) => {
      const parsed = parseSocketAddress(address);
      const error = parsed?.port == null ? 'EINVAL' : await tryToListen(parsed.ip, parsed.port);
      return judgeAddress(address, error);
    }),
  );
}

export function judgeAddress(address: string, error: string | null): Finding {
  const port = parseSocketAddress(address)?.port ?? 0;
  switch (error) {
    case null:
      return ok('listening', say('address-free', { address }), address);
    case 'EADDRINUSE':
      return fail(
        'listening',
        say('address-taken', { address }),
        say('see-who-listens', { port }),
        address,
      );
    case 'EACCES':
      return fail(
        'listening',
        say('address-not-permitted', { address }),
        say('choose-higher-port'),
        address,
      );
    case 'EADDRNOTAVAIL':
      return fail(
        'listening',
        say('address-not-here', { address }),
        say('remove-address'),
        address,
      );
    default:
      return fail(
        'listening',
        say('address-impossible', { address, error }),
        say('change-listen'),
        address,
      );
  }
}

/** The error's code; null where both UDP and TCP could be had. */
async function tryToListen(ip: string, port: number): Promise<string | null> {
  const isV6 = ip.includes(':');
  const datagrams = createSocket({ type: isV6 ? 'udp6' : 'udp4', ipv6Only: isV6 });
  const streams = createServer();
  try {
    const bound = once(datagrams, 'listening');
    datagrams.bind(port, ip);
    await bound;
    const listening = once(streams, 'listening');
    streams.listen({ port, host: ip, ipv6Only: isV6 });
    await listening;
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    await new Promise((resolve) => streams.close(resolve));
    await new Promise<void>((resolve) => {
      datagrams.once('close', () => resolve());
      datagrams.close();
    });
  }
}
