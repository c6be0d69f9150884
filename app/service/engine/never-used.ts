import type { EngineUpstreamStatus } from './boundary.ts';

/** The status of an upstream that was never used. */
export const neverUsed: Omit<EngineUpstreamStatus, 'id' | 'transport' | 'group'> = {
  path: null,
  state: 'idle',
  address: null,
  tls: null,
  lastError: null,
  restingMs: 0,
  inFlight: 0,
  answered: 0,
  failed: 0,
  outrun: 0,
  strays: 0,
  lengthsShown: false,
  dials: 0,
  resumptions: 0,
  warmth: null,
  cost: null,
  rttMs: null,
  handshakeMs: null,
};
