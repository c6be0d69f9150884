/** Holds the connection to the service and makes it anew when it ends. The last known state stays meanwhile, with its age. */
import { type Failure, fail, type Result } from '../../app/contract/errors.ts';
import type { TakingChange } from '../../app/contract/protection/taking-words.ts';
import type { MethodName, Params, ResultOf } from '../../app/contract/service-api.ts';
import type { Connection, Door, Octets } from '../bridge/connection.ts';
import { connectionInThisZone } from '../bridge/in-this-zone.ts';
import { createStore, type Readable } from './store.ts';

export type ConnectionState =
  | { is: 'connecting' }
  | { is: 'connected'; connection: Connection }
  /** `lostAt`: null where there was no connection yet */
  | { is: 'waiting'; lostAt: number | null; retryAt: number; failure: Failure }
  | { is: 'not-let-in'; lostAt: number | null };

export interface Session {
  readonly state: Readable<ConnectionState>;
  call<Name extends MethodName>(name: Name, params: Params<Name>): Promise<Result<ResultOf<Name>>>;
  pour(params: Params<'log.pour'>, signal: AbortSignal): Promise<Result<Octets>>;
  askAuthority(change: TakingChange, signal: AbortSignal): Promise<Result<null>>;
  /** Tries now instead of later. */
  retry(): void;
}

/** Milliseconds until the next try; the last one is repeated. */
const pauses = [1000, 2000, 4000, 8000, 15_000];

export interface Clock {
  now(): number;
  /** The function returned cancels it. */
  after(milliseconds: number, what: () => void): () => void;
}

const realClock: Clock = {
  now: Date.now,
  after(milliseconds, what) {
    const timer = setTimeout(what, milliseconds);
    return () => clearTimeout(timer);
  },
};

export function openSession(door: Door, clock: Clock = realClock): Session {
  const state = createStore<ConnectionState>({ is: 'connecting' });
  let lostAt: number | null = null;
  let failures = 0;
  let callOff = () => {};

  async function connect(): Promise<void> {
    callOff();
    const attempt = await door.connect();
    if (!attempt.ok) return lost(attempt.failure);
    failures = 0;
    lostAt = null;
    attempt.value.onClose(() => {
      lostAt = clock.now();
      lost(connectionLost());
    });
    // Following anew brings what was missed.
    attempt.value.on('subscription.ended', () => attempt.value.close());
    state.set({ is: 'connected', connection: connectionInThisZone(attempt.value) });
  }

  function lost(failure: Failure): void {
    if (failure.code === 'forbidden' && failure.subject === 'page') {
      state.set({ is: 'not-let-in', lostAt });
      return;
    }
    const pause = pauses[Math.min(failures, pauses.length - 1)] ?? 0;
    failures += 1;
    state.set({ is: 'waiting', lostAt, retryAt: clock.now() + pause, failure });
    callOff = clock.after(pause, connect);
  }

  void connect();
  return {
    state,
    call(name, params) {
      const now = state.get();
      if (now.is === 'connected') return now.connection.call(name, params);
      return Promise.resolve({ ok: false, failure: connectionLost() });
    },
    pour(params, signal) {
      const now = state.get();
      if (now.is === 'connected') return now.connection.pour(params, signal);
      return Promise.resolve({ ok: false, failure: connectionLost() });
    },
    askAuthority(change, signal) {
      const now = state.get();
      if (now.is === 'connected') return now.connection.askAuthority(change, signal);
      return Promise.resolve({ ok: false, failure: connectionLost() });
    },
    retry() {
      if (state.get().is !== 'waiting') return;
      // Somebody waits for it, so the next tries follow quickly.
      failures = 0;
      void connect();
    },
  };
}

function connectionLost(): Failure {
  return fail('connection-lost', 'the service ended the connection', 'start it: sotto run').failure;
}
