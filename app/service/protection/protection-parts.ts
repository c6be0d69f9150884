/** What protection asks of the other parts of the service, and what it tells them. */
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { RulesHere } from '../rules/rules-here.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { GuardianPolicy } from './guardian-policy.ts';
import type { Ledger } from './ledger.ts';
import type { PortalFacts } from './portal-facts.ts';

export interface ProtectionParts {
  engine: EngineDriver;
  ledger: Ledger;
  health: HealthRegistry;
  switchFile: string;
  /** the system's own resolvers under these settings, read afresh */
  serversFor(effective: EffectiveSettings): string[];
  /** the rules these settings, the links and the answers of people make here and now */
  rulesFor(effective: EffectiveSettings): RulesHere;
  network: NetworkParts;
  onBattery(): boolean;
  labelOf(upstreamId: string, effective: EffectiveSettings): string;
  /** Durable when it returns. */
  tellGuardian(policy: GuardianPolicy): void;
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** what is known of a login before anybody looks; absent: nobody will */
  portal?: PortalFacts;
  onChange(): void;
}

export type NetworkParts = Pick<
  CurrentNetwork,
  'stay' | 'snapshot' | 'label' | 'leadsTo' | 'confirmed' | 'noteAuthenticated' | 'policyHere'
>;
