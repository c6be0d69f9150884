/** The listeners of one connection, and of its end. */

import { isNotification, misfit } from '../../app/contract/fitting/misfit.ts';
import type { NotificationName, ServiceClient } from '../../app/contract/service-api.ts';

export interface Inbox extends Pick<ServiceClient, 'on' | 'onClose'> {
  deliver(name: string, payload: unknown): void;
  close(): void;
  closed(): boolean;
}

/**
 * These come by the thousand each second, and the service's client has checked each: here they are checked during development
 * only.
 */
const checkedBefore: ReadonlySet<NotificationName> = new Set(['log.events']);

export function createInbox(): Inbox {
  const listeners = new Map<string, Set<(payload: never) => void>>();
  const closing = new Set<() => void>();
  let closed = false;
  return {
    on(name, listener) {
      const those = listeners.get(name) ?? new Set();
      listeners.set(name, those.add(listener));
      return () => those.delete(listener);
    },
    onClose: (listener) => closing.add(listener),
    deliver(name, payload) {
      if (closed || !isNotification(name) || !isAsPromised(name, payload)) return;
      for (const listener of listeners.get(name) ?? []) listener(payload as never);
    },
    close() {
      if (closed) return;
      closed = true;
      for (const listener of closing) listener();
    },
    closed: () => closed,
  };
}

function isAsPromised(name: NotificationName, payload: unknown): boolean {
  if (checkedBefore.has(name) && !import.meta.env.DEV) return true;
  return misfit('notifications', name, payload) === null;
}
