/**
 * Who may speak to the page's server. Other accounts' programs on this machine reach a loopback port, and so does every site in
 * a browser. A client is let in by a secret, and by the browser's own statement where a request comes from.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

export interface Admission {
  /** given to one tab, by hand or by a file only its owner can read */
  readonly code: string;
  /** A name that only leads here (DNS rebinding) is another host; a site is another origin. */
  comesFromHere(request: Pick<IncomingMessage, 'headers' | 'method'>): boolean;
  /** A token for the code, once; null for anything else. */
  exchange(body: unknown): string | null;
  hasToken(request: Pick<IncomingMessage, 'headers'>): boolean;
}

const session = z.strictObject({ code: z.string().max(200) });

export function createAdmission(port: number): Admission {
  const host = `127.0.0.1:${port}`;
  const origin = `http://${host}`;
  const code = secret();
  const token = secret();
  let used = false;
  return {
    code,
    comesFromHere({ headers, method }) {
      if (headers.host !== host) return false;
      // A page that is opened or loads its own parts sends none; everything that acts must.
      if (headers.origin === undefined) return method === 'GET' || method === 'HEAD';
      return headers.origin === origin;
    },
    exchange(body) {
      const asked = session.safeParse(body);
      if (used || !asked.success || !isSame(asked.data.code, code)) return null;
      used = true;
      return token;
    },
    hasToken: ({ headers }) => isSame(headers.authorization ?? '', `Bearer ${token}`),
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(one: string, other: string): boolean {
  const [given, right] = [Buffer.from(one), Buffer.from(other)];
  return given.length === right.length && timingSafeEqual(given, right);
}
