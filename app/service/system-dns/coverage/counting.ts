/**
 * Keeps the gate counting while the system's DNS is with us, reads its counts twice a minute, and looks for connections to
 * resolvers. docs/design/coverage.md explains it.
 */
import { existsSync } from 'node:fs';
import type { ResolverConnections } from '../../../../native/binding/index.d.ts';
import type { Counted } from '../../../contract/system/gate-protocol.ts';
import { inOrder } from '../../base/in-order.ts';
import type { Gate } from '../gate.ts';
import { Connections } from './connections.ts';
import { Tallies } from './tallies.ts';

export interface CountingParts {
  gate: Pick<Gate, 'count' | 'uncount' | 'counted'>;
  /** to resolvers, past us; undefined: this system does not tell them */
  connections: (() => Promise<ResolverConnections[]>) | undefined;
  now(): number;
  onRead(): void;
}

export interface Counting {
  /** The system's DNS is with us, or is not any more. Costs nothing where that is known. */
  want(wanted: boolean): Promise<void>;
  read(): Promise<void>;
  /** Resolves when what was wanted before is done. */
  settled(): Promise<void>;
  /** To be called every second. */
  tick(): void;
  tallies(): ReturnType<Tallies['list']>;
  connections(): ReturnType<Connections['list']>;
  /** null: nothing is counted */
  since(): number | null;
  /** why packets are not counted; null: they are, or need not be */
  unavailable(): string | null;
}

const everyMs = 30_000;

export function createCounting(parts: CountingParts, onBug: (error: unknown) => void): Counting {
  const { gate, now } = parts;
  const inTurn = inOrder();
  let wanted = false;
  let readAt = Number.POSITIVE_INFINITY;
  let since: number | null = null;
  let unavailable: string | null = null;
  let tallies = new Tallies();
  let connections = new Connections();

  async function readNow(): Promise<void> {
    if (!wanted) return;
    readAt = now() + everyMs;
    await Promise.all([readCounts(), readConnections()]);
    parts.onRead();
  }

  async function readCounts(): Promise<void> {
    const counted = await countedOrBegun();
    if (counted === null) return;
    since ??= now();
    tallies.add(counted, isPhysical);
  }

  /** Another program may have removed the table, and the gate may be new. */
  async function countedOrBegun(): Promise<Counted | null> {
    let read = await gate.counted();
    if (read.ok && read.value === null) {
      const begun = await gate.count();
      read = begun.ok ? await gate.counted() : begun;
    }
    unavailable = read.ok ? null : read.failure.message;
    return read.ok ? read.value : null;
  }

  async function readConnections(): Promise<void> {
    const found = await parts.connections?.().catch(() => []);
    connections.see(found ?? [], now());
  }

  return {
    async want(wants) {
      if (wants === wanted) return;
      wanted = wants;
      tallies = new Tallies();
      connections = new Connections();
      since = null;
      readAt = Number.POSITIVE_INFINITY;
      await inTurn(async () => {
        if (wanted) await readNow();
        else await gate.uncount();
      });
    },
    read: () => inTurn(readNow),
    settled: () => inTurn(async () => {}),
    tick() {
      // the clock may have been set back
      if (wanted && (now() >= readAt || readAt - now() > everyMs)) inTurn(readNow).catch(onBug);
    },
    tallies: () => tallies.list(),
    connections: () => connections.list(),
    since: () => since,
    unavailable: () => unavailable,
  };
}

/** Other computers are behind a link that hardware makes. */
function isPhysical(link: string): boolean {
  return !link.includes('/') && existsSync(`/sys/class/net/${link}/device`);
}
