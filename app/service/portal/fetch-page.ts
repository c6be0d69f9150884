/** One page from one address, over the interface whose address is given. Nothing is followed, kept or sent along. */
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { canonicalIp, isLoopback, isUnspecified } from '../network/ip-address.ts';
import type { Page } from './evidence.ts';
import { meet } from './meeting.ts';
import { responseTo } from './response-to.ts';

export interface PageRequest {
  url: URL;
  /** where the URL's host is */
  ip: string;
  /** null: whatever the system chooses */
  localAddress: string | null;
  accept: string;
  /** until somebody takes the connection */
  connectMs: number;
  /** from then on, until the page is there: who took it is there, and may be slow */
  answerMs: number;
  signal: AbortSignal;
  /** Somebody has taken the connection: it is on its way. */
  onSent?: () => void;
}

export type FetchedPage = Page & { contentType: string };

const mostOctets = 65_536;
const longestUrl = 2048;

/** Null: nobody answered in time, or not in HTTP, or without a certificate that counts. Never rejects. */
export function fetchPage(asked: PageRequest): Promise<FetchedPage | null> {
  const { connectMs, answerMs, signal, onSent } = asked;
  return meet({ withinMs: connectMs, signal }, async (meeting) => {
    const sent = meeting.hold(send(asked));
    sent.once('socket', (socket) => {
      meeting.hold(socket).once('connect', () => {
        onSent?.();
        meeting.endIn(answerMs);
      });
    });
    sent.end();
    return await read(meeting.hold(await responseTo(sent)), asked.url);
  });
}

function send({ url, ip, localAddress, accept }: PageRequest): ClientRequest {
  const overTls = url.protocol === 'https:';
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const options: RequestOptions & { servername?: string; secureContext?: SecureContext } = {
    host: ip,
    port: url.port === '' ? (overTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    // What NetworkManager's check of the same pages sends, letter by letter: it names no program.
    headers: { Host: url.host, Accept: accept, Connection: 'close' },
    agent: false,
    ...(localAddress === null ? {} : { localAddress }),
    ...(overTls
      ? { secureContext: trusting(), ...(isIP(name) === 0 ? { servername: name } : {}) }
      : {}),
  };
  return (overTls ? requestOverTls : request)(options);
}

async function read(response: IncomingMessage, url: URL): Promise<FetchedPage> {
  const pieces: Buffer[] = [];
  let octets = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    octets += piece.length;
    if (octets > mostOctets) break;
  }
  const { statusCode = 0, headers } = response;
  return {
    status: statusCode,
    leadsTo: statusCode >= 300 && statusCode < 400 ? absolute(headers.location, url) : null,
    contentType: (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
    body: Buffer.concat(pieces).subarray(0, mostOctets).toString('utf8'),
  };
}

/** Of a page that wants to be opened in a browser; anything else leads nowhere. */
export function absolute(location: string | undefined, from?: URL): string | null {
  if (location === undefined || location.length > longestUrl) return null;
  const url = from === undefined ? URL.parse(location) : URL.parse(location, from.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || isThisMachine(url.hostname)) return null;
  return url.href;
}

/** Nobody else's page is there (RFC 6761, section 6.3). */
function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return /(^|\.)localhost\.?$/.test(host);
  const ip = canonicalIp(host);
  return isLoopback(ip) || isUnspecified(ip);
}

let context: SecureContext | null = null;

/** What this program ships and what the system trusts: read once, for it takes a tenth of a second and never changes. */
function trusting(): SecureContext {
  context ??= createSecureContext({
    ca: [...getCACertificates('default'), ...getCACertificates('system')],
  });
  return context;
}
