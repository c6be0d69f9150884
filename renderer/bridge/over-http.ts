/**
 * The service from a browser (docs/design/page.md): a one-time code in the address becomes a token, which
 * this tab keeps and sends in a header; notifications are lines of one long response, calls are requests of their own.
 */
import { fail, type Result, succeed } from '../../app/contract/errors.ts';
import { readDone, readReply } from '../../app/contract/fitting/reply.ts';
import type { TakingChange } from '../../app/contract/protection/taking-words.ts';
import type { MethodName, Params, ResultOf } from '../../app/contract/service-api.ts';
import type { Connection, Door, Octets } from './connection.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { chunksOf, linesOf } from './lines.ts';

const tokenKey = 'sotto.token';

export function openHttpDoor(): Door {
  const code = takeCode();
  let exchanged: Promise<string | null> | null = null;
  return {
    async connect() {
      exchanged ??= code === null ? Promise.resolve(null) : exchange(code);
      const token = (await exchanged.catch(() => null)) ?? sessionStorage.getItem(tokenKey);
      if (token === null) return notLetIn();
      sessionStorage.setItem(tokenKey, token);
      return connect(token).catch(() => unreachable());
    },
  };
}

/** Removes the code from the address at once, so that no browser history keeps it. */
function takeCode(): string | null {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (code !== null) history.replaceState(null, '', location.pathname);
  return code;
}

async function exchange(code: string): Promise<string | null> {
  const response = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!response.ok) return null;
  const { token } = (await response.json()) as { token?: unknown };
  return typeof token === 'string' ? token : null;
}

async function connect(token: string): Promise<Result<Connection>> {
  const ending = new AbortController();
  const response = await request('/connections', token, {}, ending.signal);
  if (response.status === 401) return notLetIn();
  if (!response.ok || response.body === null) return unreachable();
  const lines = linesOf(response.body);
  const opening = await lines.next();
  if (opening.done) return unreachable();
  const { connection, hello: raw } = opening.value as { connection?: string; hello?: unknown };
  const hello = readReply('hello', raw);
  if (!hello.ok) return hello;

  const inbox = createInbox();
  void listen(lines, inbox);
  return succeed({
    hello: hello.value,
    call: (name, params) => call(`/connections/${connection}/${name}`, token, name, params),
    pour: (params, signal) => pour(`/connections/${connection}/log.pour`, token, params, signal),
    askAuthority: (change, signal) => askAuthority(change, token, signal),
    on: inbox.on,
    onClose: inbox.onClose,
    close: () => ending.abort(),
  });
}

async function listen(lines: AsyncGenerator<unknown>, inbox: Inbox): Promise<void> {
  try {
    for await (const line of lines) {
      const { name, payload } = line as { name: string; payload: unknown };
      inbox.deliver(name, payload);
    }
  } catch {
    // However it ended, the connection is over.
  }
  inbox.close();
}

async function call<Name extends MethodName>(
  path: string,
  token: string,
  name: Name,
  params: Params<Name>,
): Promise<Result<ResultOf<Name>>> {
  try {
    const response = await request(path, token, params);
    if (response.status === 401) return notLetIn();
    return readReply(name, await response.json());
  } catch {
    return unreachable();
  }
}

async function pour(
  path: string,
  token: string,
  params: Params<'log.pour'>,
  signal: AbortSignal,
): Promise<Result<Octets>> {
  try {
    const response = await request(path, token, params, signal);
    if (response.status === 401) return notLetIn();
    const isText = response.headers.get('content-type') === 'application/octet-stream';
    if (isText && response.body !== null) return succeed(chunksOf(response.body));
    const refused = readReply('log.pour', await response.json());
    return refused.ok ? unreachable() : refused;
  } catch {
    return unreachable();
  }
}

async function askAuthority(
  change: TakingChange,
  token: string,
  signal: AbortSignal,
): Promise<Result<null>> {
  try {
    const response = await request(`/authority/${change}`, token, {}, signal);
    if (response.status === 401) return notLetIn();
    return readDone('authority', await response.json());
  } catch {
    return signal.aborted
      ? fail('authority-dismissed', 'the password prompt was closed', 'try again')
      : unreachable();
  }
}

function request(
  path: string,
  token: string,
  body: unknown,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    signal,
  });
}

function notLetIn(): Result<never> {
  return fail('forbidden', 'this page was not let in', 'open it anew with: sotto ui', 'page');
}

function unreachable(): Result<never> {
  return fail('connection-lost', 'the page has ended', 'start it again with: sotto ui', 'page');
}
