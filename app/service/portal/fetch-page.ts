/**
 * Fetches one page from one address, over the interface whose address is given. It follows no redirect, keeps nothing and sends
 * no cookies.
 */
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { PostQuantum } from '../../contract/engine-words.ts';
import { type Hello, withFittingHello } from '../base/tls-hello.ts';
import { type Trusted, trustedAuthorities } from '../base/trusted-authorities.ts';
import { canonicalIp, isLoopback, isUnspecified } from '../network/ip-address.ts';
import type { Page } from './evidence.ts';
import { meet } from './meeting.ts';
import { responseTo } from './response-to.ts';

export interface PageRequest {
  url: URL;
  /** an address of the URL's host */
  ip: string;
  /** null: the system chooses */
  localAddress: string | null;
  accept: string;
  /** how long the connection may take */
  connectMs: number;
  /** how long the page may take from then on; a host that accepted the connection may be slow */
  answerMs: number;
  signal: AbortSignal;
  postQuantum: PostQuantum;
  trusted?: Trusted;
  /** The connection stands, so the request leaves now. */
  onSent?: () => void;
}

export type FetchedPage = Page & { contentType: string };

const mostOctets = 65_536;
const longestUrl = 2048;

/** Null: no response in time, no HTTP, or no certificate that is trusted. Never rejects. */
export async function fetchPage(asked: PageRequest): Promise<FetchedPage | null> {
  if (asked.url.protocol !== 'https:') return await attempt(asked, null);
  const { trusted = trustedAuthorities(), postQuantum } = asked;
  return await withFittingHello(trusted, postQuantum, (hello) => attempt(asked, hello));
}

/** `hello`: null over HTTP */
function attempt(asked: PageRequest, hello: Hello | null): Promise<FetchedPage | null> {
  const { connectMs, answerMs, signal, onSent } = asked;
  return meet({ withinMs: connectMs, signal }, async (meeting) => {
    const sent = meeting.hold(send(asked, hello));
    hello?.watch(sent);
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

function send({ url, ip, localAddress, accept }: PageRequest, hello: Hello | null): ClientRequest {
  const overTls = hello !== null;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const options: RequestOptions & { servername?: string; secureContext?: SecureContext } = {
    host: ip,
    port: url.port === '' ? (overTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    // The headers of NetworkManager's check of the same pages, letter by letter: they name no program.
    headers: { Host: url.host, Accept: accept, Connection: 'close' },
    agent: false,
    ...(localAddress === null ? {} : { localAddress }),
    ...(overTls
      ? { secureContext: hello.secureContext, ...(isIP(name) === 0 ? { servername: name } : {}) }
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

/** The absolute address of a page that a browser may open. Null for anything else. */
export function absolute(location: string | undefined, from?: URL): string | null {
  if (location === undefined || location.length > longestUrl) return null;
  const url = from === undefined ? URL.parse(location) : URL.parse(location, from.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  if (url.username !== '' || url.password !== '' || isThisMachine(url.hostname)) return null;
  return url.href;
}

/** No other host has a page there (RFC 6761, section 6.3). */
function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return /(^|\.)localhost\.?$/.test(host);
  const ip = canonicalIp(host);
  return isLoopback(ip) || isUnspecified(ip);
}
