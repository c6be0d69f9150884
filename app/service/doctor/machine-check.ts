/**
 * The system around Sotto: which resolver its programs use, which program has the DNS port, and how much the kernel buffers for
 * us.
 */
import { readFileSync } from 'node:fs';
import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { type Said, say } from '../../contract/sentences/sentence.ts';
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
      say('buffer-small', { most, wanted: wantedBuffer, dropped }),
      say('widen-buffer', { wanted: wantedBuffer }),
    );
  if (dropped > 0)
    return warn('receive-buffer', say('buffer-overrun', { dropped }), say('programs-ask-again'));
  return ok('receive-buffer', say('buffer-sound'));
}

export function judgeSystemResolvers(machine: Machine, listening: readonly string[]): Finding {
  const { resolvers, sockets } = machine;
  const here = resolvers.filter((resolver) => listening.includes(resolver));
  if (here.length > 0 && here.length === resolvers.length)
    return ok('system-resolver', say('system-asks-us', { addresses: here.join(', ') }));
  const others = resolvers.filter((resolver) => !here.includes(resolver)).join(', ');
  const dnsPort = sockets.map(({ address }) => address).filter((address) => /:53$/.test(address));
  const holders = dnsPort.filter((address) => !listening.includes(address));
  const taken =
    holders.length === 0 ? [] : [say('port-held', { addresses: [...new Set(holders)].join(', ') })];
  return warn(
    'system-resolver',
    [whomItAsks(others, here.length > 0), ...taken],
    howToAsk(listening),
  );
}

function whomItAsks(others: string, besideUs: boolean): Said {
  if (others === '') return say('system-asks-unknown');
  return say(besideUs ? 'system-asks-others-too' : 'system-asks-others', { others });
}

function howToAsk(listening: readonly string[]): Said {
  const first = parseSocketAddress(listening[0] ?? '127.0.0.1:5300');
  const port = first?.port ?? 53;
  const ip = first?.ip ?? '127.0.0.1';
  return say(port === 53 ? 'point-at-dns-port' : 'point-at-port', { ip, port });
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
