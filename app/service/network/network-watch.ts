/** Which network this machine is on: one interface, one file a system (watch-network.ts chooses), one fake. */
import type { Engine } from '../engine/engine-addon.ts';
import type { HeldLink } from './behind-us.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';

export interface NetworkWatch {
  current(): NetworkSnapshot;
  /** Each takes a listener and returns the function that removes it. */
  onChange(listener: (snapshot: NetworkSnapshot) => void): () => void;
  /** The machine slept, whatever it did to the network. */
  onWake(listener: (sleptMs: number) => void): () => void;
  /** The wall clock was set: forward where positive. */
  onClockSet(listener: (byMs: number) => void): () => void;
  /** The watch has broken down and begins again, for this reason; null: it works again. */
  onBlind(listener: (why: string | null) => void): () => void;
  /** The addon's engine learns at once what makes its connections useless, before the control plane has decided anything. */
  warn(engine: Engine): void;
  /** These links name us now, so the watch reports their resolvers from before. */
  weHold(links: readonly HeldLink[]): void;
  close(): void;
}
