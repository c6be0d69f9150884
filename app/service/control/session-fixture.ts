/** A session without a client, for tests of handlers. It records its notifications and its end. */
import { succeed } from '../../contract/errors.ts';
import type { ServiceSession } from '../../contract/service-api.ts';

export function someSession(role: ServiceSession['role'] = 'administer') {
  const told: unknown[] = [];
  const closing = new Set<() => void>();
  const onClose = (listener: () => void) => {
    closing.add(listener);
    return () => void closing.delete(listener);
  };
  const session: ServiceSession = {
    role,
    who: null,
    account: null,
    notify: (_name, payload) => told.push(payload),
    subscribe(_topic, begin) {
      const end = begin();
      onClose(end);
      return succeed({ end });
    },
    beginWork: () => succeed({ end: () => {} }),
    onClose,
    handOver: () => {},
  };
  return {
    session,
    told,
    close: () => {
      for (const listener of closing) listener();
    },
  };
}
