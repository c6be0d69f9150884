/**
 * HTTPS requests of the service with a hello that fits. The usual one, with X25519MLKEM768, takes two segments, and some middleboxes
 * reset, close or swallow what does not fit into one. Then the same request goes once more with a smaller hello
 * (docs/decisions/0093-a-hello-that-fits.md, which is the same for upstreams).
 */
import type { ClientRequest } from 'node:http';
import type { SecureContext } from 'node:tls';
import type { PostQuantum } from '../../contract/engine-words.ts';
import type { Trusted } from './trusted-authorities.ts';

export interface Hello {
  secureContext: SecureContext;
  /** Hears what becomes of it; before anything is sent. */
  watch(sent: ClientRequest): void;
}

/** A hello that nothing has answered so long after TCP connected is given up. */
const silentMs = 2_000;

/** The result of the last attempt. One that ends before a secure connection stands must not have done anything that counts. */
export async function withFittingHello<Result>(
  trusted: Trusted,
  postQuantum: PostQuantum,
  attempt: (hello: Hello) => Promise<Result>,
): Promise<Result> {
  if (postQuantum === 'off') return await attempt(watched(trusted.small(), null).hello);
  const mayBeSmaller = postQuantum === 'prefer';
  const usual = watched(trusted.usual(), mayBeSmaller ? silentMs : null);
  const result = await attempt(usual.hello);
  if (!mayBeSmaller || !usual.isLost()) return result;
  return await attempt(watched(trusted.small(), null).hello);
}

/** `withinMs` null: it has as long as the request. */
function watched(secureContext: SecureContext, withinMs: number | null) {
  let isSent = false;
  let isHeard = false;
  let timer: NodeJS.Timeout | null = null;
  const rest = () => timer !== null && clearTimeout(timer);

  function watch(sent: ClientRequest): void {
    sent.once('socket', (socket) => {
      socket
        .once('connect', () => {
          isSent = true;
          if (withinMs !== null) timer = setTimeout(() => sent.destroy(), withinMs);
        })
        .once('secureConnect', () => {
          isHeard = true;
          rest();
        })
        .once('error', (error: NodeJS.ErrnoException) => {
          isHeard ||= !isOfPath.test(error.code ?? '');
        })
        .once('close', rest);
    });
  }

  return { hello: { secureContext, watch }, isLost: () => isSent && !isHeard };
}

/** A reset or the end of the connection, or an alert. Others, such as a certificate that is not trusted, are answers to the hello. */
const isOfPath = /^(?:ECONNRESET|ECONNABORTED|EPIPE|EPROTO|ETIMEDOUT|ERR_SSL_.*)$/;
