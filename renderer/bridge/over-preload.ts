/** The service as the window's preload provides it: plain messages, checked here like everywhere. */
import { fail, type Result, succeed } from '../../app/contract/errors.ts';
import type { Connection, Door } from './connection.ts';
import { createInbox } from './inbox.ts';
import { readReply } from './reply.ts';

/** What the preload exposes as `window.sotto`; nothing else crosses. */
export interface Preload {
  /** Resolves to a `Result` of a hello; from then on `tell` is called with every notification. */
  connect(tell: (name: string, payload: unknown) => void, onClose: () => void): Promise<unknown>;
  /** Resolves to a `Result`. */
  call(name: string, params: unknown): Promise<unknown>;
  disconnect(): void;
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
    on: inbox.on,
    onClose: inbox.onClose,
    close: preload.disconnect,
  });
}
