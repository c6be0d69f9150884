/** The profile of this machine, wired: its methods, and the delivery of later versions. */
import { isIP } from 'node:net';
import type { Failure } from '../../contract/errors.ts';
import { say } from '../../contract/sentences/sentence.ts';
import type { DeliveryStatus } from '../../contract/settings/profile-methods.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { acceptedVersion, refusedVersion } from '../audit/audited-handlers.ts';
import { addressesOf } from '../engine/addresses-of.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { tellRefusal } from './accept-version.ts';
import { bringHere } from './bring-into-force.ts';
import { startDelivery } from './delivery/delivery.ts';
import type { Fetching } from './delivery/fetch-source.ts';
import { ToldOnce } from './delivery/told-once.ts';
import { visitor } from './delivery/visit.ts';
import type { Enrolment } from './enrolment.ts';
import type { Signed } from './judge-version.ts';
import {
  createProfileHandlers,
  type ProfileHandlers,
  type ProfileParts,
} from './profile-handlers.ts';
import {
  createSimulationHandlers,
  type SimulationHandlers,
  type SimulationParts,
} from './simulation/simulation-handlers.ts';
import { startTrial } from './trial/trial.ts';

type Given = Omit<ProfileParts, 'delivery' | 'trial' | 'visit' | 'now'> &
  Omit<SimulationParts, 'engine' | 'now'>;

interface Parts extends Given {
  audit: Pick<AuditLog, 'note'>;
  engine: Pick<EngineDriver, 'ask' | 'askUpstream' | 'probe'> & SimulationParts['engine'];
  network: Pick<CurrentNetwork, 'onChange' | 'onConfirmed'>;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
  /** the network's resolvers */
  servers(): readonly string[];
  onChange(): void;
  onBug(error: unknown): void;
}

export interface Profiles {
  handlers: ProfileHandlers & SimulationHandlers;
  end(): void;
}

export function openProfiles(parts: Parts): Profiles {
  const { enrolment, engine, network, health, inTurn, onChange, onBug } = parts;
  const now = Date.now;
  const ending = new AbortController();

  function fetching(source: string, address: string | null, signal: AbortSignal): Fetching {
    const url = new URL(source);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const known = address ?? (isIP(host) === 0 ? null : host);
    return {
      source: url,
      resolve: async () => (known === null ? await addressesOf(engine, host) : [known]),
      signal,
      postQuantum: parts.protection.inForce().settings.connections.postQuantum,
    };
  }

  function tell(): void {
    const why = undelivered(delivery.status(), startedAt, now());
    if (why === null) health.clear('profile-undelivered');
    else health.raise('profile-undelivered', [say('profile-problem', { why })]);
    onChange();
  }

  const told = new ToldOnce();

  async function delivered(signed: Signed) {
    const taken = await handlers.update(signed);
    if (!taken.ok) {
      refused(taken.failure, signed.profile + signed.signature);
      return taken;
    }
    parts.audit.note(acceptedVersion('delivery', taken.value.profile));
    return taken;
  }

  function refused(failure: Failure, octets: string): void {
    if (!told.isNew([failure.code, failure.message, octets])) return;
    tellRefusal(parts, 'delivery', { ok: false, failure });
    const note = refusedVersion('delivery', failure);
    if (note !== null) parts.audit.note(note);
  }

  const delivery = startDelivery({
    enrolled: enrolment.current,
    update: delivered,
    refused,
    looked: (isWhole) => told.end(isWhole),
    fetching,
    now,
    onChange: tell,
    onBug,
  });
  const startedAt = now();
  const trial = startTrial(parts);
  const handlers = createProfileHandlers({
    ...parts,
    delivery,
    trial,
    visit: visitor(fetching, ending.signal),
    now,
  });

  /** What holds of the version may be otherwise on another network. */
  const settle = () =>
    void inTurn(async () => {
      const enrolled = enrolment.current();
      if (enrolled !== null && dependsOnNetwork(enrolled)) await bringHere(parts);
    }).catch(onBug);
  let known = enrolment.here().id;
  const ends = [
    network.onConfirmed(settle),
    network.onChange(({ moved }) => {
      settle();
      if (moved) delivery.lookSoon();
      // The id is another as well once the hardware address of the gateway is learned.
      if (!moved && enrolment.here().id === known) return;
      known = enrolment.here().id;
      trial.lookSoon();
    }),
  ];
  return {
    handlers: { ...handlers.methods, ...createSimulationHandlers({ ...parts, now }) },
    end() {
      for (const end of ends) end();
      ending.abort();
      delivery.end();
      trial.end();
    },
  };
}

const dependsOnNetwork = ({ networks, trial }: Enrolment) => networks.length > 0 || trial !== null;

/** A machine that is often without a network is told late. */
const patienceMs = 3 * 24 * 3_600_000;

/** Null: nothing that a person must know of. */
function undelivered(
  delivery: DeliveryStatus | null,
  startedAt: number,
  now: number,
): string | null {
  if (delivery === null || delivery.problem === null) return null;
  const { isRefused, succeededAt, problem } = delivery;
  return isRefused || now - (succeededAt ?? startedAt) > patienceMs ? problem : null;
}
