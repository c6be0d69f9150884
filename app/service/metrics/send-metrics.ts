/** One request to a collector: a body by HTTPS, or by HTTP on this computer. No redirect is followed, and no cookie is sent. */
import { type RequestOptions, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { PostQuantum } from '../../contract/engine-words.ts';
import { messageOf } from '../base/errno-words.ts';
import { type Hello, withFittingHello } from '../base/tls-hello.ts';
import { type Trusted, trustedAuthorities } from '../base/trusted-authorities.ts';
import { meet } from '../portal/meeting.ts';
import { responseTo } from '../portal/response-to.ts';

export interface Sending {
  url: URL;
  /** IP addresses of its host, tried in this order */
  resolve(host: string): Promise<readonly string[]>;
  body: string;
  signal: AbortSignal;
  postQuantum: PostQuantum;
  trusted?: Trusted;
}

const wholeMs = 20_000;

/** Null: the collector took them; else why not. */
export async function sendMetrics(sending: Sending): Promise<string | null> {
  const { url, resolve } = sending;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  let why = 'its name has no address';
  for (const address of addresses) {
    const sent = await sendTo(address, host, sending);
    if (sent === null) return null;
    why = sent;
  }
  return `${url.host}: ${why}`;
}

async function sendTo(address: string, host: string, sending: Sending): Promise<string | null> {
  if (sending.url.protocol !== 'https:') return await attempt(address, host, sending, null);
  const { trusted = trustedAuthorities(), postQuantum } = sending;
  return await withFittingHello(trusted, postQuantum, (hello) =>
    attempt(address, host, sending, hello),
  );
}

/** `hello`: null over HTTP */
async function attempt(
  address: string,
  host: string,
  sending: Sending,
  hello: Hello | null,
): Promise<string | null> {
  const { body, signal } = sending;
  const options = optionsFor(address, host, sending, hello);
  let why: string | null = null;
  const status = await meet({ withinMs: wholeMs, signal }, async (meeting) => {
    const request = hello === null ? requestPlain : requestTls;
    const sent = meeting.hold(request(options));
    hello?.watch(sent);
    sent.once('error', (error) => {
      why = messageOf(error);
    });
    sent.once('socket', (socket) => meeting.hold(socket));
    sent.end(body);
    // What it says beside the status is not read: the connection ends here.
    const { statusCode = 0 } = meeting.hold(await responseTo(sent));
    return statusCode;
  });
  if (status === null) return `${address}: ${why ?? 'it gave no response'}`;
  return status >= 200 && status < 300 ? null : `${address}: it responded with ${status}`;
}

type Options = RequestOptions & { secureContext?: SecureContext };

function optionsFor(
  address: string,
  host: string,
  { url, body }: Sending,
  hello: Hello | null,
): Options {
  const isTls = hello !== null;
  return {
    host: address,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: {
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    },
    agent: false,
    ...(isTls ? { secureContext: hello.secureContext } : {}),
    ...(isTls && isIP(host) === 0 ? { servername: host } : {}),
  };
}
