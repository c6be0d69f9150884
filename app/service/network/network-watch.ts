/** Which network this machine is on: one interface, one file a system (watch-network.ts chooses), one fake. */
import type { Engine } from '../engine/engine-addon.ts';
import type { HeldLink } from './behind-us.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';

export interface NetworkWatch {
  current(): NetworkSnapshot;
  /** Each takes a listener and gives back the function that ends it. */
  onChange(listener: (snapshot: NetworkSnapshot) => void): () => void;
  /** The machine slept, whatever it did to the network. */
  onWake(listener: (sleptMs: number) => void): () => void;
  /** Somebody set the wall clock: forward where positive. */
  onClockSet(listener: (byMs: number) => void): () => void;
  /** It has broken down and begins again, for this reason; null: it sees again. */
  onBlind(listener: (why: string | null) => void): () => void;
  /** The addon's engine is told at once what makes its connections useless, before anybody knows what it will come to. */
  warn(engine: Engine): void;
  /** These links name us now: they tell what they told before. */
  weHold(links: readonly HeldLink[]): void;
  close(): void;
}
