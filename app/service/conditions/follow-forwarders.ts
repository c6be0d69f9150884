/** Which units ask for others: those that usually do, and whatever waits for queries on port 53 of this machine. */
import { isDeepStrictEqual } from 'node:util';
import { forwarderUnits } from './forwarders.ts';

interface ForwarderParts {
  /** units that wait on port 53, without us; undefined: this system does not tell them */
  onDnsPort: (() => Promise<string[]>) | undefined;
  /** false: nothing depends on who asks, so nobody need be known */
  matters(): boolean;
  now(): number;
  onChange(): void;
}

export interface Forwarders {
  units(): readonly string[];
  look(): Promise<void>;
  /** To be called every second. */
  tick(): void;
}

const everyMs = 10_000;

export function followForwarders(
  parts: ForwarderParts,
  onBug: (error: unknown) => void,
): Forwarders {
  const { onDnsPort, now } = parts;
  let found: readonly string[] = [];
  let lookAt = 0;

  /** Whoever was found stays so where the kernel does not say. */
  async function look(): Promise<void> {
    if (onDnsPort === undefined || !parts.matters()) return;
    lookAt = now() + everyMs;
    const before = found;
    found = await onDnsPort().catch(() => before);
    if (!isDeepStrictEqual(found, before)) parts.onChange();
  }

  return {
    units: () => [...new Set([...forwarderUnits, ...found])],
    look,
    tick() {
      // the clock may have been set back
      if (now() >= lookAt || lookAt - now() > everyMs) look().catch(onBug);
    },
  };
}
