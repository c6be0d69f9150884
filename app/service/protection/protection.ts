/**
 * Brings settings and switch into force, in this order: ledger entries of new permissions on disk, then the engine's
 * configuration with their leases, then the end of the permissions it no longer holds. One change at a time.
 */
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import type { LedgerEntry } from '../../contract/service-status.ts';
import { compileConfig, type EngineConfig, type EngineLease } from '../engine/compile-config.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Ledger } from './ledger.ts';
import { type Permission, permissions } from './permissions.ts';
import { holds, readSwitch, type Switch, writeSwitch } from './switch.ts';

export interface ProtectionParts {
  engine: EngineDriver;
  ledger: Ledger;
  health: HealthRegistry;
  switchFile: string;
  /** the system's own resolvers under these settings, read afresh */
  serversFor(effective: EffectiveSettings): string[];
  now(): number;
  onChange(): void;
}

export interface Protection {
  /** Whole or not at all: on failure what was in force stays. */
  adopt(effective: EffectiveSettings): Promise<Result<null>>;
  turn(position: Switch): Promise<Result<null>>;
  position(): Switch;
  inForce(): EffectiveSettings;
  standing(): LedgerEntry[];
  /** To be called every second: ends a pause, follows the system's resolvers, writes counts down. */
  tick(): Promise<void>;
  /** After the engine has stopped: the last counts, and every entry closed. Nothing changes from then on. */
  end(): Promise<void>;
}

/** Networks are not told apart yet. */
const network = 'any';

export async function startProtection(
  parts: ProtectionParts,
  effective: EffectiveSettings,
): Promise<Result<Protection>> {
  const { engine, ledger, health, now } = parts;
  let inForce = effective;
  let position = readSwitch(parts.switchFile, now());
  let servers: string[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  let ended = false;
  const written = new Map<number, number>();

  function oneAtATime<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }

  async function enforce(
    wanted: EffectiveSettings,
    next: Switch,
    why: string,
  ): Promise<Result<null>> {
    const nextServers = next.protection === 'on' ? [] : parts.serversFor(wanted);
    const granted = permissions({
      effective: wanted,
      position: next,
      servers: nextServers,
      network,
    });
    const standing = ledger.standing();
    const entries = openEntries(granted, standing);
    const applied = await engine.apply(
      compileConfig({
        settings: wanted.settings,
        certificates: wanted.certificates,
        mode: modeOf(next, nextServers),
        network,
        leases: entries.map(leaseOf),
      }),
    );
    // What was sent under a lease that is now revoked is known for the last time.
    syncCounts();
    // a permission that ended just now shows its last count once more
    syncCounts();
    const stays = new Set((applied.ok ? entries : standing).map(({ id }) => id));
    for (const { id } of ledger.standing())
      if (!stays.has(id)) record(() => ledger.close(id, applied.ok ? why : 'never in force'));
    if (!applied.ok) return applied;
    [inForce, position, servers] = [wanted, next, nextServers];
    parts.onChange();
    return applied;
  }

  /** What can't be written down is not permitted; the rest works on. */
  function openEntries(granted: readonly Permission[], standing: LedgerEntry[]): LedgerEntry[] {
    return granted.flatMap((permission) => {
      const same = standing.find((entry) => isSame(entry, permission));
      const entry = same ?? record(() => ledger.open(permission));
      return entry === null ? [] : [entry];
    });
  }

  function syncCounts(): void {
    for (const { entry, count } of engine.status().clear)
      if (written.get(entry) !== count)
        record(() => {
          ledger.setCount(entry, count);
          written.set(entry, count);
        });
  }

  function record<Value>(write: () => Value): Value | null {
    try {
      const value = write();
      health.clear('ledger-unwritable');
      return value;
    } catch (error) {
      health.raise('ledger-unwritable', error instanceof Error ? `${error.message}.` : '');
      return null;
    }
  }

  const first = await enforce(effective, position, 'the service started');
  if (!first.ok) return first;

  return succeed({
    adopt: (wanted) => oneAtATime(() => enforce(wanted, position, 'the settings changed')),

    turn: (next) =>
      oneAtATime(async () => {
        const before = position;
        const written = writeSwitch(parts.switchFile, next);
        if (!written.ok) return written;
        const applied = await enforce(inForce, next, sayTurn(next));
        if (!applied.ok) writeSwitch(parts.switchFile, before);
        return applied;
      }),

    position: () => position,
    inForce: () => inForce,
    standing: () => ledger.standing(),

    tick: () =>
      oneAtATime(async () => {
        if (ended) return;
        syncCounts();
        if (position.protection === 'on') return;
        // the engine ends a permission by a clock that nobody sets; what it ended is over, whatever the time of day says
        const leaseEnded = engine
          .status()
          .clear.some((entry) => entry.class === 'paused' && entry.ended);
        if (leaseEnded || !holds(position, now())) {
          const on: Switch = { protection: 'on', since: now(), who: 'the end of the pause' };
          writeSwitch(parts.switchFile, on);
          await enforce(inForce, on, 'the pause ended');
        } else if (parts.serversFor(inForce).join() !== servers.join()) {
          await enforce(inForce, position, "the system's resolvers changed");
        }
      }),

    end: () =>
      oneAtATime(async () => {
        ended = true;
        syncCounts();
        for (const { id } of ledger.standing())
          record(() => ledger.close(id, 'the service stopped'));
      }),
  });
}

export function pauseUntil(
  request: { minutes: number } | { untilRestart: true },
  now: number,
  who: string,
): Switch {
  const until = 'minutes' in request ? now + request.minutes * 60_000 : null;
  return { protection: 'paused', since: now, who, until };
}

/** The engine's refusal of settings that looked right: told as the settings' fault, with the engine's words. */
export function sayRefusal({ message, remedy, subject }: Failure): string {
  return [subject, `${message}; ${remedy}`].filter(Boolean).join(': ');
}

export function unknownUpstream(id: string): Result<never> {
  return fail('unknown-upstream', `there is no upstream "${id}"`, 'see: sotto upstream list', id);
}

function modeOf(position: Switch, servers: string[]): EngineConfig['mode'] {
  return position.protection === 'on'
    ? 'private'
    : { direct: { class: position.protection, servers } };
}

function leaseOf(entry: LedgerEntry): EngineLease {
  return {
    entry: entry.id,
    class: entry.class as EngineLease['class'],
    rule: entry.class === 'bypass' ? entry.rule : null,
    until: entry.until,
  };
}

function isSame(entry: LedgerEntry, permission: Permission): boolean {
  const facts = ['class', 'network', 'rule', 'reason', 'who', 'until'] as const;
  return facts.every((fact) => entry[fact] === permission[fact]);
}

function sayTurn({ protection, who }: Switch): string {
  const words = { on: 'switched on', off: 'switched off', paused: 'paused' };
  return `${words[protection]} by ${who}`;
}
