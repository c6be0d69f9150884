/** Opens system DNS and the search for coverage gaps, with the parts of the service that they need. */
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { OpenNetwork } from '../network/open-network.ts';
import type { OwnResolvers } from '../network/own-resolvers.ts';
import type { Switch } from '../protection/switch.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { createClosing } from './closing.ts';
import { type CountingParts, createCounting } from './coverage/counting.ts';
import { type Coverage, createCoverage } from './coverage/coverage.ts';
import type { DefenceParts } from './defence.ts';
import type { Gate } from './gate.ts';
import { leaseAt } from './helper-lease.ts';
import { mechanismsHere } from './mechanisms-here.ts';
import type { AskBus } from './system-bus.ts';
import { createSystemDns, type SystemDns } from './system-dns.ts';

interface Parts {
  surroundings: Pick<OpenNetwork, 'network' | 'watch' | 'bus'>;
  askBus: AskBus;
  engine: EngineDriver;
  own: OwnResolvers;
  /** also before settings are in force */
  listen(): readonly string[];
  gate: Gate;
  /** to resolvers, past us; absent: this system does not tell them */
  connections: CountingParts['connections'];
  /** it runs as the person whose programs it looks at */
  ownPerson: boolean;
  /** policy keeps the system's DNS in every case: refuse, or a lock */
  strict(): boolean;
  noteContest: DefenceParts['noteContest'];
  inForce(): EffectiveSettings;
  position(): Switch;
  /** for guardian and helper, which outlive us: called before anything is taken, and after nothing is */
  tellTaken(taken: boolean): void;
  health: HealthRegistry;
  now(): number;
  onChange(): void;
  onBug(error: unknown): void;
}

export function openSystemDns(parts: Parts): { systemDns: SystemDns; coverage: Coverage } {
  const { surroundings, engine, own, inForce, health, onBug } = parts;
  const { network, watch, bus } = surroundings;

  const lease = leaseAt();
  const counting = createCounting(
    {
      gate: parts.gate,
      connections: parts.connections,
      now: parts.now,
      onRead: () => coverage.counted(),
    },
    onBug,
  );
  const systemDns = createSystemDns({
    mechanisms: mechanismsHere(bus, parts.askBus),
    listen: parts.listen,
    wanted() {
      const { protection: position } = parts.position();
      const { settings } = inForce();
      const strict = parts.strict();
      return { ...settings.systemDns, strict, position, listening: engine.status().listening };
    },
    closing: createClosing(parts.gate),
    noteContest: parts.noteContest,
    own: () => own.under(inForce()),
    network,
    tellTaken(taken) {
      parts.tellTaken(taken);
      counting.want(taken).catch(onBug);
      lease.keep(taken);
    },
    weHold(links) {
      own.weHold(links);
      watch.weHold(links);
    },
    health,
    now: parts.now,
    onTaken: () => void coverage.ledHere().catch(onBug),
    onChange: parts.onChange,
  });
  const coverage = createCoverage(
    {
      engine,
      bus: parts.askBus,
      counting,
      ownPerson: parts.ownPerson,
      systemDns: systemDns.status,
      snapshot: network.snapshot,
      own: () => own.under(inForce()),
      health,
      now: parts.now,
      onChange: parts.onChange,
    },
    onBug,
  );
  return { systemDns, coverage };
}
