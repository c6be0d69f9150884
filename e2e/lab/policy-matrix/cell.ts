/** One cell of the matrix, from a private start through the fault and back. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { eventually } from '../../rig/eventually.ts';
import { Lab } from '../../rig/lab.ts';
import { encodeName } from '../../rig/message.ts';
import type { Capture, ClearQuery } from '../../rig/network/capture.ts';
import { Link } from '../../rig/network/link.ts';
import { SottoServer } from '../../rig/peers/sotto-server.ts';
import { SottoService } from '../../rig/sotto-service.ts';
import { Standstill } from '../../rig/standstill.ts';
import { zone } from '../../rig/zones/far.ts';
import { LoadedFaults } from '../deaths/loaded-faults.ts';
import type { Fault, Path, Strike } from './faults.ts';
import { HeldThread } from './held-thread.ts';
import type { Identities } from './identities.ts';
import type { Policy } from './policies.ts';
import { StatusWatch } from './status-watch.ts';
import { type Outcome, SteadyQueries } from './steady-queries.ts';

export interface Cell {
  policy: Policy;
  fault: Fault;
}

/** Unix milliseconds throughout. */
export interface Observed {
  states: string[];
  faultAt: number;
  faultOverAt: number;
  /** the service was killed or stopped, and was ready again */
  struckAt: number | null;
  restoredAt: number | null;
  /** when a permission ended by itself */
  leaseOverAt: number | null;
  /** the service said so */
  privateAt: number;
  queries: Outcome[];
  /** by tshark, on the client's interface */
  captured: ClearQuery[];
  /** whether a name is anywhere in the capture, as octets or in what tshark dissects */
  nameInCapture: boolean;
  ledger: LedgerEntry[];
  /** by which times may be longer than Sotto takes */
  stoodStillMs: number;
}

const addresses = {
  IPv4: ['198.51.100.53', '198.51.100.54'],
  IPv6: ['2001:db8:1::53', '2001:db8:1::54'],
};
/** In one direction; a round trip takes 10 ms. */
const delayMs = 5;
const inEachState = 15;
const signals = {
  kill: 'SIGKILL',
  'kill-alone': 'SIGKILL',
  stop: 'SIGSTOP',
  terminate: 'SIGTERM',
  // faults-within.mjs has the rest
  exception: 'SIGUSR2',
} as const;
const allowedMinutes = 5;
/** Faults whose end the cell waits for. */
const fewMinutes = 0.1;

export async function observeCell(cell: Cell, identities: Identities): Promise<Observed> {
  const lab = new Lab();
  await lab.open();
  try {
    return await new Observation(lab, cell, await openStage(lab, cell, identities)).run();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${lab.transcripts()}`);
  } finally {
    await lab.close();
  }
}

interface Stage extends Path {
  capture: Capture;
  service: SottoService;
  watch: StatusWatch;
  asking: SteadyQueries;
  /** in the service, where it runs under a guardian */
  loaded: LoadedFaults;
}

async function openStage(lab: Lab, { policy, fault }: Cell, identities: Identities) {
  const farAddresses = addresses[fault.family].slice(0, fault.resolvers);
  const link = await Link.open(lab, { delayMs, farAddresses });
  const { genuine, impostor } = identities;
  const resolvers: SottoServer[] = [];
  for (const address of farAddresses)
    resolvers.push(
      await SottoServer.start(lab, {
        ...{ on: link.far, addresses: [address], identity: genuine, threads: 1 },
      }),
    );
  const capture = await link.capture();
  const upstreams = resolvers.map((resolver, index) =>
    resolver.upstream(['first', 'second'][index] ?? '', fault.transport),
  );
  const settings = { upstreams, downgrade: policy.downgrade };
  const guarded = fault.strike !== undefined && !['kill-alone', 'hold'].includes(fault.strike);
  if (fault.fromTheStart) await fault.begin({ link, resolvers, impostor });
  const loaded = await LoadedFaults.build(lab);
  const placement = { on: link.client, guarded, ...(guarded ? { env: loaded.env } : {}) };
  const service = await SottoService.start(lab, settings, undefined, placement);
  const watch = await StatusWatch.start(lab, service.home);
  const asking = await SteadyQueries.start(lab, link.client, service.v4);
  return { link, resolvers, impostor, capture, service, watch, asking, loaded } satisfies Stage;
}

class Observation {
  readonly #lab: Lab;
  readonly #policy: Policy;
  readonly #fault: Fault;
  readonly #stage: Stage;
  #struckAt: number | null = null;
  #restoredAt: number | null = null;
  #leaseOverAt: number | null = null;
  readonly #standstill = new Standstill();

  constructor(lab: Lab, { policy, fault }: Cell, stage: Stage) {
    this.#lab = lab;
    this.#policy = policy;
    this.#fault = fault;
    this.#stage = stage;
  }

  async run(): Promise<Observed> {
    const { watch, asking } = this.#stage;
    const fault = this.#fault;
    const faultAt = fault.fromTheStart ? Date.now() : await this.#beginWherePrivate();
    if (fault.staysPrivate) await asking.further(2 * inEachState, 'NOERROR');
    else await this.#takeEffect();
    const release = await this.#strike();
    const faultOverAt = Date.now();
    await fault.end(this.#stage);
    await release();
    const { at: privateAt } = await watch.until(
      'private, and nothing allowed any more',
      ({ protection, clear }) => protection.state === 'private' && clear.length === 0,
      { since: faultOverAt },
    );
    await asking.further(inEachState, 'NOERROR');
    const queries = await asking.finish();
    const { capture } = this.#stage;
    return {
      states: watch.states,
      ...{ faultAt, faultOverAt, privateAt, queries },
      ...{ struckAt: this.#struckAt, restoredAt: this.#restoredAt, leaseOverAt: this.#leaseOverAt },
      ledger: await this.#readLedger(),
      captured: await capture.clearQueries(),
      nameInCapture: (await readFile(capture.file)).includes(encodeName(zone)),
      stoodStillMs: this.#standstill.end().allMs,
    };
  }

  async #beginWherePrivate(): Promise<number> {
    const { watch, asking } = this.#stage;
    await watch.state('private');
    await asking.further(inEachState, 'NOERROR');
    const faultAt = Date.now();
    await this.#fault.begin(this.#stage);
    return faultAt;
  }

  /** Waits until the policy has taken effect, gives the person's answer, and sends queries in the resulting state. */
  async #takeEffect(): Promise<void> {
    const { watch, asking, service } = this.#stage;
    const { answer, unanswered, settled } = this.#policy;
    await watch.state(unanswered);
    if (answer !== null) {
      const { status } = await watch.until(
        'a consent request to answer',
        ({ consentRequests }) => consentRequests.length > 0,
      );
      const id = status.consentRequests[0]?.id ?? '';
      const minutes = this.#fault.strike === 'hold' ? fewMinutes : allowedMinutes;
      const options = answer === 'allow' ? ['--minutes', String(minutes)] : [];
      const given = await service.json<{ until: number | null }>('consent', answer, id, ...options);
      if (this.#fault.strike === 'hold') this.#leaseOverAt = given.until;
    }
    await watch.state(settled);
    if (this.#leaseOverAt === null) await asking.further(inEachState);
  }

  /** Steps after the fault. */
  async #strike(): Promise<() => Promise<void>> {
    const { watch, service, asking } = this.#stage;
    const { strike } = this.#fault;
    if (strike === undefined) return async () => {};
    const { status } = await watch.until('a status', () => true);
    if (strike === 'hold') return await this.#holdControlPlane(status.pid);
    this.#struckAt = Date.now();
    this.#end(strike, status.pid);
    if (strike === 'panic') {
      // it was only ordered
      await eventually('the service is gone', () => !existsSync(`/proc/${status.pid}`));
      this.#struckAt = Date.now();
    }
    if (strike === 'kill-alone') {
      await service.exited;
      await service.restart();
    }
    const { unanswered } = this.#policy;
    const restored = await watch.until(
      `started again, and ${unanswered}`,
      ({ pid, protection }) => pid !== status.pid && protection.state === unanswered,
    );
    this.#restoredAt = restored.at;
    await asking.further(inEachState);
    return async () => {};
  }

  #end(strike: Exclude<Strike, 'hold'>, service: number): void {
    const { loaded } = this.#stage;
    if (strike === 'exception') loaded.prepare('exception');
    if (strike === 'panic') loaded.panic();
    else process.kill(service, signals[strike]);
  }

  /** The engine by itself ends a lease in time, and finds back to a private path. */
  async #holdControlPlane(pid: number): Promise<() => Promise<void>> {
    const { asking } = this.#stage;
    const held = await HeldThread.hold(this.#lab, pid);
    if (this.#leaseOverAt !== null) await asking.further(inEachState, 'SERVFAIL');
    else await asking.further(inEachState);
    return async () => {
      await asking.further(inEachState, 'NOERROR');
      await held.letGo();
    };
  }

  async #readLedger(): Promise<LedgerEntry[]> {
    const { service } = this.#stage;
    const { code, stdout, stderr } = await service.cli('ledger', '--json', '--limit', '10000');
    if (code !== 0) throw new Error(`sotto ledger ended with ${code}\n${stderr}`);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LedgerEntry);
  }
}
