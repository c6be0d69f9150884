/** Makes the portal's parts from those of the service. */
import type { BusAddon } from '../../bus-connection.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { NetworkMemory } from '../network/network-memory.ts';
import type { Protection } from '../protection/protection.ts';
import type { QueryLog } from '../query-log/query-log.ts';
import type { RulesNow } from '../rules/rules-now.ts';
import type { SystemDns } from '../system-dns/system-dns.ts';
import { writtenApiAddress } from './api-address.ts';
import { askNetworkManager } from './network-manager.ts';
import { placeOf } from './place.ts';
import { createPortal, type Portal } from './portal.ts';
import { namesLearned, namesOfSettings, whyNotSite } from './site-consent.ts';

interface Parts {
  bus: BusAddon;
  engine: EngineDriver;
  protection: Protection;
  network: CurrentNetwork;
  memory: Pick<NetworkMemory, 'answered'>;
  rules: Pick<RulesNow, 'under'>;
  queryLog: QueryLog;
  /** the system's own resolvers, read afresh */
  servers(): string[];
  systemDns: Pick<SystemDns, 'flush'>;
  now(): number;
  onChange(): void;
  onBug(error: unknown): void;
}

export function openPortal(parts: Parts): Portal {
  const { engine, protection, network, memory, rules, queryLog, systemDns, now, onChange, onBug } =
    parts;

  function ownName(site: string): Promise<string | null> {
    const inForce = protection.inForce();
    const link = placeOf(network.snapshot())?.interface ?? '';
    const learned = namesLearned(rules.under(inForce), memory.answered(), link);
    return whyNotSite(site, {
      own: [...namesOfSettings(inForce.settings), ...learned],
      settings: inForce.settings,
      explain(name) {
        const said = engine.explain(name, 'A');
        return said.ok ? said.value : null;
      },
      async hasOne(visits) {
        const { events } = await queryLog.read('search', { filter: visits, limit: 1 }).answer;
        return events.length > 0;
      },
    });
  }

  return createPortal({
    engine,
    protection,
    stay: () => network.stay().number,
    place: () => placeOf(network.snapshot()),
    servers: parts.servers,
    async told(place) {
      const manager = await askNetworkManager(parts.bus, place.interface);
      return { manager, api: writtenApiAddress(place) };
    },
    ownName,
    flushSystemCaches: () => void systemDns.flush().catch(onBug),
    now,
    onChange,
    onBug,
  });
}
