/** Who listens for what on one connection, and for its end. */
import {
  type NotificationName,
  type NotificationOf,
  type ServiceClient,
  serviceApi,
} from '../../app/contract/service-api.ts';

export interface Inbox extends Pick<ServiceClient, 'on' | 'onClose'> {
  deliver(name: string, payload: unknown): void;
  close(): void;
  closed(): boolean;
}

/** Thousands a second, each checked by the service's client before: checked again while developing only. */
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
      if (closed || !isNotification(name)) return;
      const checked = check(name, payload);
      if (checked === null) return;
      for (const listener of listeners.get(name) ?? []) listener(checked as never);
    },
    close() {
      if (closed) return;
      closed = true;
      for (const listener of closing) listener();
    },
    closed: () => closed,
  };
}

function isNotification(name: string): name is NotificationName {
  return Object.hasOwn(serviceApi.notifications, name);
}

function check<Name extends NotificationName>(
  name: Name,
  payload: unknown,
): NotificationOf<Name> | null {
  if (checkedBefore.has(name) && !import.meta.env.DEV) return payload as NotificationOf<Name>;
  const checked = serviceApi.notifications[name].safeParse(payload);
  return checked.success ? (checked.data as NotificationOf<Name>) : null;
}
