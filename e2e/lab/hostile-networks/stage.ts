/**
 * A computer with the installed service, helper and gate, that queries a new name every 50 ms, in a network that may be left: its
 * cable is pulled and plugged in again.
 */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import type { MethodName, Params, ResultOf } from '../../../app/contract/service-api.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import type { SystemDnsStatus } from '../../../app/contract/system/system-dns.ts';
import type { ConnectedService } from '../../../app/service-client/service-client.ts';
import { AskingProgram } from '../../networks/asking-program.ts';
import { Gate } from '../../networks/gate.ts';
import { Helper } from '../../networks/helper.ts';
import { InstalledService } from '../../networks/installed-service.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import type { Attack } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import { ClosingTimes } from './closing-times.ts';
import { type Computer, type ComputerName, openComputer } from './computers.ts';
import { firstMomentMs, type Outcome } from './outcome.ts';
import type { Trial } from './plan.ts';

const namesBefore = 5;
const mostEntries = 50;

export class Stage {
  readonly #lab: Lab;
  readonly #computer: Computer;
  readonly #service: ConnectedService;
  readonly #closings: ClosingTimes;
  #undo: Attack['undo'];
  #word = 0;

  static async open(lab: Lab, name: ComputerName): Promise<Stage> {
    const computer = await openComputer(lab, name);
    const { client, internet } = computer.networkStage;
    await Helper.start(lab, client);
    await Gate.start(lab, client);
    const closings = await ClosingTimes.start(client);
    const service = await InstalledService.start(lab, client, {
      upstreams: internet.upstreams.slice(0, 1),
      systemResolvers: 'auto',
    });
    const stage = new Stage(lab, computer, await service.connect(), closings);
    await stage.#takeSystemDns();
    return stage;
  }

  private constructor(
    lab: Lab,
    computer: Computer,
    service: ConnectedService,
    closings: ClosingTimes,
  ) {
    this.#lab = lab;
    this.#computer = computer;
    this.#closings = closings;
    this.#service = lab.adopt(Object.assign(service, { stop: async () => service.close() }));
  }

  /** `isNoticed`: what has to be the service's status before the result is read. */
  async attempt(
    trial: Trial,
    isNoticed: (status: ServiceStatus) => boolean = () => true,
  ): Promise<Outcome> {
    const begunAt = performance.now();
    await this.#ask('settings.set', { key: 'downgrade', value: trial.policy });
    await this.#leaveNetwork();
    const attack: Attack = attacks[trial.attack];
    this.#undo = attack.undo;
    const earlier = await this.#entries();
    const asking = await AskingProgram.start(
      this.#lab,
      this.#computer.networkStage.client,
      this.#nextWord(),
    );
    await asking.more(namesBefore);
    const entryBefore = (await this.#entries()).some(({ closed }) => closed === null);
    const begins = Date.now();
    const latestFirst = await this.#overwrite(attack, trial, asking);
    const { verdict, systemDns, clear } = await eventually('it is noticed', async () => {
      const status = await this.#ask('status.get', {});
      return isNoticed(status) && status;
    });
    await asking.end();
    const heard = asking.leaked(this.#computer.networkStage.network.heard);
    const entries = (await this.#entries()).filter(({ id }) => isNew(id, earlier));
    const before = heard.filter((at) => at < begins);
    const since = heard.filter((at) => at >= begins);
    const first = Math.min(latestFirst, ...since);
    const later = since.filter((at) => at > first + firstMomentMs);
    const isClosed = systemDns?.contest?.closed ?? false;
    const closing = isClosed
      ? await eventually('the closing is reported', () => this.#closings.since(begins)[0])
      : this.#closings.since(begins)[0];
    return {
      trial,
      asked: asking.asked,
      before: before.length,
      inFirstMoment: since.length - later.length,
      later: later.length,
      afterClosing: closing === undefined ? null : since.filter((at) => at > closing).length,
      withoutEntry: later.filter((at) => !entries.some((one) => stoodAt(one, at))).length,
      entryBefore,
      entry: entries.length > 0,
      entryAfterMs:
        entries.length > 0 ? Math.min(...entries.map((one) => one.since)) - first : null,
      counted: entries.some(({ count }) => count !== null),
      closed: isClosed,
      mechanism: systemDns?.mechanism ?? null,
      verdict: verdict.is,
      standing: clear.some((one) => one.class === 'contested' && one.closed === null),
      seconds: Math.round((performance.now() - begunAt) / 100) / 10,
    };
  }

  /**
   * Resolves with the latest moment at which the first overwrite may have happened; a name that the network received shows an
   * earlier one.
   */
  async #overwrite(attack: Attack, trial: Trial, asking: AskingProgram): Promise<number> {
    let first = Number.POSITIVE_INFINITY;
    for (let time = 1; time <= trial.times; time++) {
      await attack.overwrite(this.#computer, time);
      const called = Date.now();
      await asking.more(attack.namesEach ?? trial.namesEach);
      first = Math.min(first, attack.unseen === true ? Date.now() : called);
    }
    return first;
  }

  #nextWord(): string {
    return `n${++this.#word}x`;
  }

  /** Ends the effects of an earlier trial: another stay begins, and everything leads to Sotto. */
  async #leaveNetwork(): Promise<void> {
    const { network } = this.#computer.networkStage;
    await this.#undo?.(this.#computer);
    await network.carrier('down');
    await eventually('the cable is out', async () =>
      (await this.#ask('status.get', {})).health.some(({ code }) => code === 'no-network'),
    );
    await network.carrier('up');
    await this.#takeSystemDns();
  }

  /** Waits until the system queries Sotto, and no contest is under way. */
  async #takeSystemDns(): Promise<void> {
    await this.#ask('system.take', {});
    await eventually('the system asks Sotto, and nobody contests it', async () => {
      const { taken, contest } = await this.#systemDns();
      const known = await this.#computer.networkStage.client.run('getent', [
        'ahostsv4',
        'far.example',
      ]);
      return taken && contest === null && known.code === 0;
    });
  }

  async #systemDns(): Promise<SystemDnsStatus> {
    const { status } = await this.#ask('system.status', {});
    if (status === null) throw new Error('this service knows no way to the system DNS');
    return status;
  }

  /** Entries of class contested, the closed ones included, the newest first. */
  async #entries(): Promise<LedgerEntry[]> {
    return (await this.#ask('ledger.list', { class: 'contested', limit: mostEntries })).entries;
  }

  async #ask<M extends MethodName>(method: M, params: Params<M>): Promise<ResultOf<M>> {
    const said = await this.#service.call(method, params);
    if (!said.ok) throw new Error(`${method}: ${said.failure.message}`);
    return said.value;
  }
}

function isNew(id: number, earlier: readonly LedgerEntry[]): boolean {
  return earlier.every((one) => one.id !== id);
}

function stoodAt({ since, until, closed }: LedgerEntry, at: number): boolean {
  return since <= at && (closed === null || until === null || at <= until);
}
