/** Where other programs may read how this machine is doing: each is "off", or one place. */
import { z } from 'zod';
import { isIPv4, parseSocketAddress } from '../dns/socket-address.ts';
import { readUrl } from '../text/read-url.ts';

export const nowhere = 'off';

/** sun_path has 108 octets, the last one a zero. */
const longestPath = 107;

export const metricsListen = place(
  (text) => isLoopbackPort(text) || (text.startsWith('unix:') && isSocketPath(text.slice(5))),
  'an address of this computer with a port, such as "127.0.0.1:9653" or "[::1]:9653", a Unix socket such as "unix:/run/sotto/metrics.sock", or "off"',
);

export const metricsCollector = place(
  isCollector,
  'an address such as "https://otel.example.com/v1/metrics" ("http:" only to this computer\'s own addresses), or "off"',
);

export const dnstapSocket = place(
  isSocketPath,
  'the path of a Unix socket, such as "/run/dnstap/dnstap.sock", or "off"',
);

function place(isPlace: (text: string) => boolean, wanted: string) {
  return z.string().refine((text) => text === nowhere || isPlace(text), {
    error: (issue) => `${JSON.stringify(issue.input)} is not ${wanted}`,
  });
}

function isLoopbackPort(text: string): boolean {
  const address = parseSocketAddress(text);
  return address !== null && (address.port ?? 0) > 0 && isLoopback(address.ip);
}

function isSocketPath(path: string): boolean {
  const isWhole = path.startsWith('/') && !path.endsWith('/') && !path.includes('\0');
  return isWhole && new TextEncoder().encode(path).length <= longestPath;
}

/** A password in it would be shown to everybody who may see settings. */
function isCollector(text: string): boolean {
  const url = readUrl(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol === 'https:') return true;
  return url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
}

function isLoopback(ip: string): boolean {
  return (isIPv4(ip) && ip.startsWith('127.')) || ip === '::1';
}
