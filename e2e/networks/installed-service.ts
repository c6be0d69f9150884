/** The machine's own service, as an installation has it: guarded, on port 53, its files in /etc, /var/lib and /run. */
import { join } from 'node:path';
import type { MethodName, Params, ResultOf } from '../../app/contract/service-api.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { stopReasonFile } from '../../app/contract/system/helper-protocol.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { nodeFlags } from '../../build/places.mjs';
import { commandLine } from '../rig/available.ts';
import { callService } from '../rig/call-service.ts';
import type { Lab } from '../rig/lab.ts';
import type { Finished, Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

const env = { SOTTO_MODE: 'system' };
export const controlSocket = '/run/sotto/control.sock';

export class InstalledService {
  readonly #machine: Machine;
  #program: Program;

  static async start(lab: Lab, machine: Machine, settings: object): Promise<InstalledService> {
    const complete = { listen: ['127.0.0.1:53', '[::1]:53'], systemResolvers: [], ...settings };
    await machine.write('/etc/sotto/settings.json', JSON.stringify(complete, null, 2));
    await machine.shell('mkdir -p -m 755 /run/sotto; mkdir -p -m 700 /var/lib/sotto');
    const service = lab.adopt(new InstalledService(machine, await launch(machine)));
    await service.ready();
    return service;
  }

  private constructor(machine: Machine, program: Program) {
    this.#machine = machine;
    this.#program = program;
  }

  /** Everything that guardian and service wrote to the terminal since they were started last. */
  get output(): string {
    return this.#program.stdout + this.#program.stderr;
  }

  /** The guardian's process. */
  get pid(): number {
    return this.#program.pid;
  }

  /** Waits until that many services, one after the other, have reported that they are ready. */
  async ready(starts = 1): Promise<void> {
    const count = () => this.output.split('the service is ready').length - 1;
    await this.#program.ready(async () => count() >= starts);
  }

  async cli(...args: string[]): Promise<Finished> {
    return await this.#machine.run(process.execPath, [commandLine, ...args], { env });
  }

  /** The one object a command prints with --json. */
  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.cli(...args, '--json');
    if (stdout === '') throw new Error(`sotto ${args.join(' ')} ended with ${code}\n${stderr}`);
    return JSON.parse(stdout) as T;
  }

  async status(): Promise<ServiceStatus> {
    return await this.call('status.get', {});
  }

  /** As root. */
  async call<Name extends MethodName>(name: Name, params: Params<Name>): Promise<ResultOf<Name>> {
    return await callService(this.#socket, name, params);
  }

  async connect(): Promise<ConnectedService> {
    const connected = await connectToService(this.#socket, 'the lab');
    if (!connected.ok) throw new Error(connected.failure.message);
    return connected.value;
  }

  /** Its /run is the machine's and is reached through /proc/PID/root. */
  get #socket(): string {
    return join(`/proc/${this.pid}/root`, controlSocket);
  }

  /** Stops guardian and service, as when the lid closes or the battery is empty. */
  signalAll(signal: NodeJS.Signals): void {
    this.#program.signal(signal);
  }

  /** As systemd does for "systemctl stop": first root's stop reason, then the signal. */
  async stop(): Promise<void> {
    await this.#machine.shell('mkdir -p "$(dirname "$1")"; echo stop > "$1"', stopReasonFile);
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

async function launch(machine: Machine): Promise<Program> {
  const args = [...nodeFlags, commandLine, 'run', '--guarded'];
  return await machine.start(process.execPath, args, { env });
}
