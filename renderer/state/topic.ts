/**
 * A topic of the service: first a snapshot, then every change. It is followed from the moment a component first draws it, and
 * again on each new connection; in between the last known value stays.
 */
import type {
  MethodName,
  NotificationName,
  NotificationOf,
  Params,
  ResultOf,
} from '../../app/contract/service-api.ts';
import type { Connection } from '../bridge/connection.ts';
import type { Session } from './session.ts';
import { createStore, type Readable } from './store.ts';

/** null until the first snapshot came */
export type Topic<Value> = Readable<Known<Value> | null>;

export interface Known<Value> {
  value: Value;
  /** unix milliseconds of its arrival */
  at: number;
}

interface TopicShape<Value, Method extends MethodName, Notification extends NotificationName> {
  follow: Method;
  params: Params<Method>;
  changes: Notification;
  begin(snapshot: ResultOf<Method>): Value;
  change(value: Value, change: NotificationOf<Notification>): Value;
}

export function createTopic<
  Value,
  Method extends MethodName,
  Notification extends NotificationName,
>(session: Session, shape: TopicShape<Value, Method, Notification>): Topic<Value> {
  const store = createStore<Known<Value> | null>(null);
  let followed: Connection | null = null;
  let wanted = false;

  async function follow(connection: Connection): Promise<void> {
    followed = connection;
    let known = false;
    connection.on(shape.changes, (change) => {
      const last = store.get();
      if (known && last !== null)
        store.set({ value: shape.change(last.value, change), at: Date.now() });
    });
    const snapshot = await connection.call(shape.follow, shape.params);
    if (!snapshot.ok || followed !== connection) return;
    known = true;
    store.set({ value: shape.begin(snapshot.value), at: Date.now() });
  }

  function look(): void {
    const state = session.state.get();
    if (wanted && state.is === 'connected' && state.connection !== followed)
      void follow(state.connection);
  }

  session.state.subscribe(look);
  return {
    get: store.get,
    subscribe(listener) {
      wanted = true;
      look();
      return store.subscribe(listener);
    },
  };
}
