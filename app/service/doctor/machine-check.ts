/** The system around Sotto: whom its programs ask, who has the DNS port, and how much the kernel keeps for us. */
import { readFileSync } from 'node:fs';
import { formatSocketAddress, parseSocketAddress } from '../../contract/socket-address.ts';
import { systemResolvers } from '../network/system-resolvers.ts';
import { type Finding, ok, warn } from './finding.ts';

export interface Machine {
  /** "ip:port" of the resolvers the system was given */
  resolvers: string[];
  sockets: UdpSocket[];
  /** net.core.rmem_max in octets; null where the system has no such limit to read */
  mostReceiveBuffer: number | null;
}

interface UdpSocket {
  /** ip:port */
  address: string;
  /** datagrams that found the buffer full */
  dropped: number;
}

/** What the engine asks for each listening socket (native/engine/src/listen/door.rs). */
const wantedBuffer = 1_048_576;

export function readMachine(): Machine {
  const mostReceiveBuffer = Number(readText('/proc/sys/net/core/rmem_max').trim() || 'none');
  return {
    resolvers: systemResolvers('auto', []),
    sockets: [readText('/proc/net/udp'), readText('/proc/net/udp6')].flatMap(readSockets),
    mostReceiveBuffer: Number.isNaN(mostReceiveBuffer) ? null : mostReceiveBuffer,
  };
}

export function judgeReceiveBuffer(machine: Machine, listening: readonly string[]): Finding {
  const dropped = machine.sockets
    .filter(({ address }) => listening.includes(address))
    .reduce((sum, socket) => sum + socket.dropped, 0);
  const most = machine.mostReceiveBuffer;
  if (most !== null && most < wantedBuffer)
    return warn(
      'receive-buffer',
      `The kernel keeps at most ${most} octets of waiting questions, where ${wantedBuffer} are asked for; ${dropped} were dropped so far.`,
      `sudo sysctl -w net.core.rmem_max=${wantedBuffer}, and the same in /etc/sysctl.d; then restart the service`,
    );
  if (dropped > 0)
    return warn(
      'receive-buffer',
      `${dropped} questions were dropped because they came faster than they could be read.`,
      'programs ask again by themselves; if it grows, see what asks so much: sotto log --follow',
    );
  return ok('receive-buffer', 'No question was dropped for want of room.');
}

export function judgeSystemResolvers(machine: Machine, listening: readonly string[]): Finding {
  const { resolvers, sockets } = machine;
  const here = resolvers.filter((resolver) => listening.includes(resolver));
  if (here.length > 0 && here.length === resolvers.length)
    return ok('system-resolver', `The system asks Sotto, at ${here.join(', ')}.`);
  const others = resolvers.filter((resolver) => !here.includes(resolver));
  const whom = others.length === 0 ? 'no resolver that is known' : others.join(', ');
  const dnsPort = sockets.map(({ address }) => address).filter((address) => /:53$/.test(address));
  const holders = dnsPort.filter((address) => !listening.includes(address));
  const taken =
    holders.length === 0 ? '' : ` Another resolver listens on ${[...new Set(holders)].join(', ')}.`;
  return warn(
    'system-resolver',
    `The system asks ${whom}${here.length === 0 ? ', not Sotto' : ' beside Sotto'}.${taken}`,
    howToAsk(listening),
  );
}

function howToAsk(listening: readonly string[]): string {
  const first = parseSocketAddress(listening[0] ?? '127.0.0.1:5300');
  const port = first?.port ?? 53;
  const where = `point programs at ${first?.ip ?? '127.0.0.1'} port ${port}`;
  return port === 53
    ? `${where}, for all of them with "nameserver ${first?.ip}" in /etc/resolv.conf`
    : `${where}, or a forwarder in between (dnsmasq: server=${first?.ip}#${port})`;
}

/** /proc/net/udp and udp6: addresses in hexadecimal, words in the machine's byte order (little-endian where we run). */
export function readSockets(table: string): UdpSocket[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((row) => {
      const columns = row.trim().split(/\s+/);
      const [ip = '', port = ''] = columns[1]?.split(':') ?? [];
      if (port === '') return [];
      const address = formatSocketAddress(readIp(ip), Number.parseInt(port, 16));
      return [{ address, dropped: Number(columns.at(-1)) }];
    });
}

function readIp(hexadecimal: string): string {
  const words = hexadecimal.match(/.{8}/g) ?? [];
  const octets = words.flatMap((word) =>
    [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16)),
  );
  if (octets.length === 4) return octets.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((octets[2 * index] ?? 0) << 8) | (octets[2 * index + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
