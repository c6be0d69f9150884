/** One document by HTTPS, from addresses that were looked up before. No redirect is followed, and no cookie is sent. */
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { PostQuantum } from '../../../contract/engine-words.ts';
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import { messageOf } from '../../base/errno-words.ts';
import { type Hello, withFittingHello } from '../../base/tls-hello.ts';
import { type Trusted, trustedAuthorities } from '../../base/trusted-authorities.ts';
import { meet } from '../../portal/meeting.ts';
import { responseTo } from '../../portal/response-to.ts';

export interface Wanted {
  url: URL;
  /** IP addresses of its host, tried in this order */
  addresses: readonly string[];
  /** of the document that is there already */
  tag: string | null;
  mostOctets: number;
  /** then it has no octets */
  mayBeMissing?: boolean;
  signal: AbortSignal;
  postQuantum: PostQuantum;
  trusted?: Trusted;
}

export interface Document {
  octets: Buffer;
  /** the server's ETag (RFC 9110, section 8.8.3); null: it gave none */
  tag: string | null;
}

const connectMs = 10_000;
const wholeMs = 120_000;

/** Null: it has not changed. */
export async function httpsGet(wanted: Wanted): Promise<Result<Document | null>> {
  let last: Result<Document | null> = unreachable(wanted.url, 'its name has no address');
  for (const address of wanted.addresses) {
    const { trusted = trustedAuthorities(), postQuantum } = wanted;
    last = await withFittingHello(trusted, postQuantum, (hello) => getFrom(address, wanted, hello));
    if (last.ok || last.failure.code !== 'profile-unreachable') return last;
  }
  return last;
}

async function getFrom(
  address: string,
  wanted: Wanted,
  hello: Hello,
): Promise<Result<Document | null>> {
  const { url, signal } = wanted;
  let why = 'it did not respond in time';
  const met = await meet({ withinMs: connectMs, signal }, async (meeting) => {
    try {
      const sent = meeting.hold(request(optionsFor(address, wanted, hello)));
      hello.watch(sent);
      sent.once('socket', (socket) => {
        meeting.hold(socket).once('secureConnect', () => meeting.endIn(wholeMs));
      });
      sent.end();
      return await read(meeting.hold(await responseTo(sent)), wanted);
    } catch (error) {
      why = messageOf(error);
      throw error;
    }
  });
  return met ?? unreachable(url, `${address}: ${why}`);
}

function optionsFor(
  address: string,
  { url, tag }: Wanted,
  { secureContext }: Hello,
): RequestOptions {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const options: RequestOptions & { secureContext: SecureContext } = {
    host: address,
    port: url.port === '' ? 443 : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: {
      Host: url.host,
      Accept: '*/*',
      Connection: 'close',
      ...(tag === null ? {} : { 'If-None-Match': tag }),
    },
    agent: false,
    secureContext,
    ...(isIP(name) === 0 ? { servername: name } : {}),
  };
  return options;
}

async function read(
  response: IncomingMessage,
  { url, tag, mostOctets, mayBeMissing = false }: Wanted,
): Promise<Result<Document | null>> {
  const { statusCode = 0, headers } = response;
  if (statusCode === 304 && tag !== null) return succeed(null);
  if (mayBeMissing && [404, 410].includes(statusCode))
    return succeed({ octets: Buffer.alloc(0), tag: null });
  if (headers.location !== undefined)
    return unreachable(url, 'the server redirects; enrol with the address that it gives');
  if (statusCode !== 200) return unreachable(url, `the server responded with ${statusCode}`);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > mostOctets)
      return fail(
        'profile-refused',
        `${url.href}: it has more than ${mostOctets} octets`,
        'make the profile smaller',
      );
  }
  return succeed({ octets: Buffer.concat(pieces), tag: headers.etag ?? null });
}

function unreachable(url: URL, why: string): Result<never> {
  return fail(
    'profile-unreachable',
    `${url.href}: ${why}`,
    'check the network and the address; it is tried again by itself',
  );
}
