/** The service as the window's preload provides it: plain messages, checked here like everywhere. */
import { fail, type Result, succeed } from '../../app/contract/errors.ts';
import { readDone, readReply } from '../../app/contract/fitting/reply.ts';
import type { TakingChange } from '../../app/contract/protection/taking-words.ts';
import type { Connection, Door } from './connection.ts';
import { createInbox } from './inbox.ts';

/** What the preload exposes as `window.sotto`; nothing else crosses. */
export interface Preload {
  /** Resolves to a `Result` of a hello; from then on `tell` is called with every notification. */
  connect(tell: (name: string, payload: unknown) => void, onClose: () => void): Promise<unknown>;
  /** Resolves to a `Result`. */
  call(name: string, params: unknown): Promise<unknown>;
  /** Begins the one export of this window: resolves to a `Result`. */
  pour(params: unknown): Promise<unknown>;
  /** The next octets of the export; null once it has ended. */
  poured(): Promise<Uint8Array | null>;
  stopPouring(): void;
  disconnect(): void;
  /** Opens the one prompt of this window: resolves to a `Result`. */
  askAuthority(change: TakingChange): Promise<unknown>;
  stopAsking(): void;
  /** Resolves to a `Result`. */
  startService(): Promise<unknown>;
  /** Resolves to null where the tray can't be started at login. */
  startsAtLogin(): Promise<unknown>;
  /** Resolves to a `Result`. */
  setStartsAtLogin(wanted: boolean): Promise<unknown>;
  showsNotices(): Promise<unknown>;
  /** Resolves to a `Result`. */
  setShowsNotices(wanted: boolean): Promise<unknown>;
}

export function openPreloadDoor(preload: Preload): Door {
  return { connect: () => connect(preload) };
}

async function connect(preload: Preload): Promise<Result<Connection>> {
  const inbox = createInbox();
  const hello = readReply('hello', await preload.connect(inbox.deliver, inbox.close));
  if (!hello.ok) return hello;
  return succeed({
    hello: hello.value,
    async call(name, params) {
      if (inbox.closed()) return fail('connection-lost', 'the connection ended', 'try again');
      return readReply(name, await preload.call(name, params));
    },
    async pour(params, signal) {
      const begun = readReply('log.pour', await preload.pour(params));
      return begun.ok ? succeed(octetsOf(preload, signal)) : begun;
    },
    async askAuthority(change, signal) {
      const stop = () => preload.stopAsking();
      signal.addEventListener('abort', stop);
      const asked = await preload.askAuthority(change);
      signal.removeEventListener('abort', stop);
      return readDone('authority', asked);
    },
    on: inbox.on,
    onClose: inbox.onClose,
    close: preload.disconnect,
  });
}

async function* octetsOf(preload: Preload, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.addEventListener('abort', () => preload.stopPouring());
  try {
    while (!signal.aborted) {
      const octets = await preload.poured();
      if (octets === null) return;
      yield octets;
    }
  } finally {
    preload.stopPouring();
  }
}
