/**
 * The basis of a decision, gathered at one moment: where this machine is, each group of upstreams with its paths and its
 * consent request, a login, the ledger's open entries, the rules and resolvers of the place. Gathering changes nothing.
 */

import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { Condition } from '../../contract/settings/condition.ts';
import { networkCarries } from '../../contract/settings/upstream-settings.ts';
import { list } from '../base/one-or-many.ts';
import type { Accounts } from '../conditions/condition-here.ts';
import type { EngineStatus } from '../engine/boundary.ts';
import type { Identities } from '../identities/identity-store.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { HereRule, RulesHere } from '../rules/rules-here.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { ConsentRequests } from './consent-requests.ts';
import type { EntryKeeper } from './entry-keeper.ts';
import type { GroupObserver } from './group-observer.ts';
import { rulesInForce } from './policy-in-force.ts';
import type { PortalFacts } from './portal-facts.ts';
import type { Switch } from './switch.ts';
import type { ProtectionFacts } from './transition.ts';

/** What people and administrators want: it is in force, or it is to come into force. */
export interface Wanted {
  settings: EffectiveSettings;
  position: Switch;
}

export interface Facts extends ProtectionFacts {
  effective: EffectiveSettings;
  /** the bypass rules that hold here */
  rules: readonly HereRule[];
  /** those of "refuseFor" that do not fail for network or time */
  refuseFor: readonly Condition[];
  accounts: Accounts;
  /** units whose programs ask for others */
  forwarders: readonly string[];
  /** the system's own resolvers; empty where nothing could lead to them */
  servers: string[];
  onBattery: boolean;
  identities: Identities;
  /** open in the ledger, as leases of the engine */
  entries: readonly LedgerEntry[];
}

export interface FactSources {
  network: Pick<
    CurrentNetwork,
    'stay' | 'snapshot' | 'label' | 'leadsTo' | 'confirmed' | 'policyHere' | 'isNetwork'
  >;
  /** the system's own resolvers under these settings, read afresh */
  serversFor(effective: EffectiveSettings): string[];
  /** the rules that follow from these settings, the links and the answers of people, here and now */
  rulesFor(effective: EffectiveSettings): RulesHere;
  onBattery(): boolean;
  /** the client identities of this machine */
  identities(): Identities;
  accounts: Accounts;
  forwarders(): readonly string[];
  now(): number;
  /** unix milliseconds of a moment that has certainly passed */
  built: number;
}

interface Parts extends FactSources {
  consentRequests: Pick<ConsentRequests, 'current'>;
  entries: Pick<EntryKeeper, 'standing'>;
  observer: Pick<GroupObserver, 'groups'>;
  portal(): PortalFacts;
}

export interface FactsReader {
  /** The facts from which the state of protection follows. */
  ofState(wanted: Wanted, engine: EngineStatus): ProtectionFacts;
  /** All that a decision needs. */
  all(wanted: Wanted, engine: EngineStatus): Facts;
}

export function createFactsReader(parts: Parts): FactsReader {
  const { network, consentRequests, entries, observer } = parts;

  function ofState({ settings, position }: Wanted, engine: EngineStatus): ProtectionFacts {
    const groups = observer.groups(settings, rulesInForce(settings, network, parts), engine);
    const ofPolicy = entries.standing().filter((entry) => entry.class === 'policy');
    return {
      now: parts.now(),
      here: {
        id: network.stay().partition,
        label: network.label(),
        authenticated: network.confirmed(),
      },
      networkChanges: network.snapshot().networkChanges,
      position,
      groups: groups.map((group) => ({
        ...group,
        request: consentRequests.current(group.rules.id),
      })),
      exposures: ofPolicy.filter(({ rule }) => rule === ''),
      wideRules: ofPolicy.filter(({ rule }) => rule !== ''),
      portal: parts.portal(),
    };
  }

  return {
    ofState,
    all(wanted, engine) {
      const { settings: effective, position } = wanted;
      const facts = ofState(wanted, engine);
      const toServers =
        position.protection !== 'on' ||
        facts.groups.some((group) => group.rules.rungs.includes('network')) ||
        effective.settings.upstreams.some(({ address }) => list(address).includes(networkCarries));
      const { rules, refuseFor } = parts.rulesFor(effective);
      return {
        ...facts,
        effective,
        rules,
        refuseFor,
        accounts: parts.accounts,
        forwarders: parts.forwarders(),
        servers: toServers ? parts.serversFor(effective) : [],
        onBattery: parts.onBattery(),
        identities: parts.identities(),
        entries: entries.standing(),
      };
    },
  };
}
