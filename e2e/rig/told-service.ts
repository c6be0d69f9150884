/** The control server of a service whose status the test gives. It answers no DNS. */
import { someStatus } from '../../app/cli/fixtures/made-up.ts';
import type { ServiceHandlers, ServiceSession } from '../../app/contract/service-api.ts';
import { servicePaths } from '../../app/contract/service-paths.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { createControlServer } from '../../app/service/control/control-server.ts';
import { listenOnSocket } from '../../app/service/control/control-socket.ts';
import { createJournal } from '../../app/service/logging/journal.ts';
import type { Lab } from './lab.ts';

export class ToldService {
  readonly home: string;
  #status: ServiceStatus;
  readonly #sessions = new Set<ServiceSession>();

  static async start(
    lab: Lab,
    home: string,
    handlers: Partial<ServiceHandlers>,
    status: Partial<ServiceStatus> = {},
  ): Promise<ToldService> {
    const service = new ToldService(home, someStatus(status));
    const control = createControlServer({
      handlers: { ...service.#handlers(), ...handlers } as ServiceHandlers,
      version: '1.2.3',
      journal: createJournal({ write: () => {} }),
      roleOf: () => 'administer',
    });
    const { controlSocket } = servicePaths({}, home);
    const listening = await listenOnSocket(control.server, controlSocket);
    if (!listening.ok) throw new Error(listening.failure.message);
    lab.adopt({ stop: () => control.close() });
    return service;
  }

  private constructor(home: string, status: ServiceStatus) {
    this.home = home;
    this.#status = status;
  }

  tell(changes: Partial<ServiceStatus>): void {
    const { verdict: _of, sentence: _before, ...kept } = this.#status;
    this.#status = someStatus({ ...kept, ...changes });
    for (const session of this.#sessions) session.notify('status.changed', this.#status);
  }

  #handlers(): Partial<ServiceHandlers> {
    return {
      'status.get': () => ({ ok: true, value: this.#status }),
      'status.follow': (_params, session) => {
        this.#sessions.add(session);
        session.onClose(() => this.#sessions.delete(session));
        return { ok: true, value: this.#status };
      },
    };
  }
}
