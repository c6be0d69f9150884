/** A request's JSON, of a bounded length. */
import type { IncomingMessage } from 'node:http';

type Body = { ok: true; value: unknown } | { ok: false; status: 400 | 413 | 415 };

/** As much as the control socket takes. */
export const longestBody = 1024 * 1024;

export async function readJsonBody(request: IncomingMessage, longest: number): Promise<Body> {
  if (request.headers['content-type'] !== 'application/json') return { ok: false, status: 415 };
  if (Number(request.headers['content-length'] ?? 0) > longest) return { ok: false, status: 413 };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longest) return { ok: false, status: 413 };
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { ok: false, status: 400 };
  }
}
