/**
 * The connection to the service: what is known of it at this moment, for all listeners. It is made again when it ends, after
 * pauses that grow. What was known before is dropped at once, so that it can't be taken for the present.
 */
import { type Failure, fail, type Result } from '../contract/errors.ts';
import type { MethodName, Params, ResultOf } from '../contract/service-api.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import type { ConnectedService } from '../service-client/service-client.ts';

export type ServiceLink =
  | { is: 'connecting' }
  | { is: 'connected'; status: ServiceStatus }
  /** no service answers, or its answer can't be understood; `retryAt` in unix milliseconds */
  | { is: 'lost'; failure: Failure; retryAt: number };

export interface LinkParts {
  connect: () => Promise<Result<ConnectedService>>;
  /** called after the first attempt failed because nothing runs; returns whether another attempt is worth while at once */
  startService: () => Promise<boolean>;
  onChange: (link: ServiceLink) => void;
  now: () => number;
  /** calls once, after this time; the function returned cancels it */
  after: (milliseconds: number, then: () => void) => () => void;
}

const shortestPause = 500;
const longestPause = 30_000;
/** a service that was just started is looked for each second, for half a minute */
const pauseWhileStarting = 1000;
const triesWhileStarting = 30;

export class Link {
  readonly #parts: LinkParts;
  #current: ServiceLink = { is: 'connecting' };
  #service: ConnectedService | null = null;
  #pause = shortestPause;
  #cancelRetry: () => void = () => {};
  #mayStart = true;
  #triesWhileStarting = 0;
  #closed = false;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  get current(): ServiceLink {
    return this.#current;
  }

  call<Name extends MethodName>(name: Name, params: Params<Name>): Promise<Result<ResultOf<Name>>> {
    if (this.#current.is === 'connected' && this.#service !== null)
      return this.#service.call(name, params);
    return Promise.resolve(
      fail('not-running', 'Sotto is not running', '"sotto status" says how to start it'),
    );
  }

  /** Also connects at once while it waits for its next attempt. */
  async connect(): Promise<void> {
    this.#cancelRetry();
    const former = this.#service;
    this.#service = null;
    former?.close();
    this.#become({ is: 'connecting' });
    const connected = await this.#open();
    if (this.#closed) {
      if (connected.ok) connected.value.close();
    } else if (!connected.ok) this.#lost(connected.failure);
    else await this.#follow(connected.value);
  }

  close(): void {
    this.#closed = true;
    this.#cancelRetry();
    this.#service?.close();
  }

  /** A person who starts the tray wants Sotto, so a service that does not run is started, once. */
  async #open(): Promise<Result<ConnectedService>> {
    const first = await this.#parts.connect();
    if (first.ok || first.failure.code !== 'not-running' || !this.#mayStart) return first;
    this.#mayStart = false;
    if (!(await this.#parts.startService())) return first;
    this.#triesWhileStarting = triesWhileStarting;
    return await this.#parts.connect();
  }

  async #follow(service: ConnectedService): Promise<void> {
    this.#service = service;
    service.onClose(() => {
      if (this.#service === service) void this.connect();
    });
    service.on('subscription.ended', () => service.close());
    service.on('status.changed', (status) => {
      if (this.#service === service) this.#become({ is: 'connected', status });
    });
    const status = await service.call('status.follow', {});
    if (this.#service !== service) return;
    if (status.ok) {
      this.#pause = shortestPause;
      this.#become({ is: 'connected', status: status.value });
    } else {
      this.#lost(status.failure);
      service.close();
    }
  }

  #lost(failure: Failure): void {
    this.#service = null;
    this.#become({ is: 'lost', failure, retryAt: this.#parts.now() + this.#pause });
    this.#cancelRetry = this.#parts.after(this.#pause, () => void this.connect());
    const most = this.#triesWhileStarting > 0 ? pauseWhileStarting : longestPause;
    this.#triesWhileStarting -= 1;
    this.#pause = Math.min(this.#pause * 2, most);
  }

  #become(link: ServiceLink): void {
    if (this.#closed) return;
    this.#current = link;
    this.#parts.onChange(link);
  }
}
