/** The same query as a command, safe to paste into a shell. */
import { parseSocketAddress } from '../../../app/contract/dns/socket-address.ts';

/** `@127.0.0.1 -p 5300`, from an address such as "127.0.0.1:5300" */
export function digAt(listening: string | undefined): string {
  const address = listening === undefined ? null : parseSocketAddress(listening);
  if (address === null) return '@127.0.0.1';
  const port = address.port === null || address.port === 53 ? '' : ` -p ${address.port}`;
  return `@${address.ip}${port}`;
}

export function digCommand(name: string, type: string, listening: string | undefined): string {
  // a name that begins with "-" or "+" or "@" would be an option: -q says that it is a name
  return `dig ${digAt(listening)} -q ${quoted(name)} -t ${quoted(type)}`;
}

/** Quoted only where a shell would interpret it. */
function quoted(word: string): string {
  return /^[A-Za-z0-9._-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
