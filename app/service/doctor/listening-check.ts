/** Whether programs get an answer at the addresses, or, without a service, whether it could have them. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { sayMilliseconds } from '../../contract/duration.ts';
import { formatSocketAddress, isIPv6, parseSocketAddress } from '../../contract/socket-address.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Answered on this machine whatever the upstreams do (RFC 6761, section 6.3). */
const question = { name: 'localhost', type: 'A' };

/** One question to an address over a fresh connection: how long it took, and why there was no answer. */
export type AskAddress = (
  question: { name: string; type: string },
  way: 'udp' | 'tcp',
  address: string,
) => Promise<{ ms: number; error: string | null }>;

export async function checkListening(
  addresses: readonly string[],
  ask: AskAddress,
): Promise<Finding[]> {
  if (addresses.length === 0)
    return [fail('listening', 'The service listens nowhere.', 'see "sotto status" for the reason')];
  return await Promise.all(addresses.map((address) => askBothWays(address, ask)));
}

async function askBothWays(address: string, ask: AskAddress): Promise<Finding> {
  const asked = await Promise.all(
    (['udp', 'tcp'] as const).map(async (way) => ({
      way,
      ...(await ask(question, way, reachable(address))),
    })),
  );
  const silent = asked.flatMap(({ way, error }) =>
    error === null ? [] : [`${way.toUpperCase()}: ${error}`],
  );
  if (silent.length > 0)
    return fail(
      'listening',
      `${address} gives no answer. ${silent.join('; ')}.`,
      'check for a firewall rule on the loopback interface, and restart the service',
      address,
    );
  const times = asked.map(({ way, ms }) => `${way.toUpperCase()} in ${sayMilliseconds(ms)}`);
  return ok('listening', `${address} answers over ${times.join(', ')}.`, address);
}

/** Nobody can ask at "any address". */
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
      return ok('listening', `${address} is free for the service.`, address);
    case 'EADDRINUSE':
      return fail(
        'listening',
        `${address} is taken by another program.`,
        `see which: ss -lntup 'sport = :${port}'; stop it, or change "listen" in the settings`,
        address,
      );
    case 'EACCES':
      return fail(
        'listening',
        `Listening on ${address} is not permitted.`,
        'choose a port above 1023 in "listen", such as 5300',
        address,
      );
    case 'EADDRNOTAVAIL':
      return fail(
        'listening',
        `${address} is not an address of this machine.`,
        'remove it from "listen" in the settings, or give the machine that address',
        address,
      );
    default:
      return fail(
        'listening',
        `Listening on ${address} is not possible (${error}).`,
        'change "listen" in the settings',
        address,
      );
  }
}

/** The error's code; null where both UDP and TCP could be had. */
async function tryToListen(ip: string, port: number): Promise<string | null> {
  const datagrams = createSocket({ type: isIPv6(ip) ? 'udp6' : 'udp4', ipv6Only: isIPv6(ip) });
  const streams = createServer();
  try {
    const bound = once(datagrams, 'listening');
    datagrams.bind(port, ip);
    await bound;
    const listening = once(streams, 'listening');
    streams.listen({ port, host: ip, ipv6Only: isIPv6(ip) });
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
