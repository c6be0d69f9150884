/** Follows the service's status, also across its death. */
import { join } from 'node:path';
import type { ProtectionStateName } from '../../../app/contract/protection/protection-state.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../../app/service-client/service-client.ts';
import { eventually, patienceMs } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';

interface Seen {
  /** unix milliseconds */
  at: number;
  status: ServiceStatus;
}

export class StatusWatch {
  readonly #socket: string;
  readonly #seen: Seen[] = [];
  #service: ConnectedService | undefined;
  #ended = false;

  static async start(lab: Lab, home: string): Promise<StatusWatch> {
    const watch = lab.adopt(new StatusWatch(join(home, 'control.sock')));
    await watch.#follow();
    return watch;
  }

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** The states in order, each repeated state once. */
  get states(): ProtectionStateName[] {
    const names = this.#seen.map(({ status }) => status.protection.state);
    return names.filter((name, index) => name !== names[index - 1]);
  }

  /** The first matching status from `since` on, with the time at which it was reported. */
  async until(
    what: string,
    fits: (status: ServiceStatus) => boolean,
    { since = Date.now(), deadlineMs = patienceMs } = {},
  ): Promise<Seen> {
    const last = this.#seen.at(-1);
    const recent = () => this.#seen.filter((seen) => seen.at >= since || seen === last);
    try {
      return await eventually(what, () => recent().find((seen) => fits(seen.status)), deadlineMs);
    } catch (error) {
      const { protection, upstreams } = this.#seen.at(-1)?.status ?? {};
      throw new Error(
        `${(error as Error).message}; ${JSON.stringify({ protection, upstreams })}, after ${this.states.join(' → ')}`,
      );
    }
  }

  async state(
    name: ProtectionStateName,
    options: { since?: number; deadlineMs?: number } = {},
  ): Promise<Seen> {
    return await this.until(name, ({ protection }) => protection.state === name, options);
  }

  async stop(): Promise<void> {
    this.#ended = true;
    this.#service?.close();
  }

  async #follow(): Promise<void> {
    const service = await eventually('the control socket answers', async () => {
      const connected = await connectToService(this.#socket, 'policy matrix');
      return connected.ok && connected.value;
    });
    this.#service = service;
    service.onClose(() => {
      if (!this.#ended) this.#follow().catch(() => {});
    });
    service.on('status.changed', (status) => this.#note(status));
    const first = await service.call('status.follow', {});
    if (first.ok) this.#note(first.value);
  }

  #note(status: ServiceStatus): void {
    this.#seen.push({ at: Date.now(), status });
  }
}
