/** The resolvers that the operating system was given: where queries go while Sotto is off or paused. Never Sotto itself. */
import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6, isZonedIPv6 } from '../../contract/dns/socket-address.ts';
import { reaches, withPort } from './ip-address.ts';

/** systemd-resolved listens here and writes the resolvers behind it to a file of its own. */
const resolvedStubs = new Set(['127.0.0.53', '127.0.0.54']);
export const isResolvedStub = (address: string): boolean => resolvedStubs.has(address);
const resolvConf = '/etc/resolv.conf';
const resolvedConf = '/run/systemd/resolve/resolv.conf';

type ReadText = (file: string) => string | null;

/**
 * "ip:port" each; empty when none is known. `behindUs`: the system's DNS from before it was led to us, with what its links were
 * given since; null while it is not led to us.
 */
export function systemResolvers(
  setting: 'auto' | readonly string[],
  listen: readonly string[],
  behindUs: readonly string[] | null = null,
  read: ReadText = readText,
): string[] {
  const given = setting === 'auto' ? (behindUs ?? operatingSystemResolvers(read)) : setting;
  const own = listen.map((address) => withPort(address, 53));
  const servers = given.map((address) => withPort(address, 53));
  return [...new Set(servers)].filter((server) => !own.some((address) => reaches(server, address)));
}

function operatingSystemResolvers(read: ReadText): string[] {
  const configured = nameservers(read(resolvConf));
  if (!configured.some(isResolvedStub)) return configured;
  const behindStub = nameservers(read(resolvedConf));
  return behindStub.length > 0 ? behindStub : configured;
}

/** resolv.conf(5). Those of one link have a zone: "fe80::1%eth0". */
export function nameservers(text: string | null): string[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const [keyword, address] = line.trim().split(/\s+/);
    const usable =
      address !== undefined && (isIPv4(address) || isIPv6(address) || isZonedIPv6(address));
    return keyword === 'nameserver' && usable ? [address] : [];
  });
}

export function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
