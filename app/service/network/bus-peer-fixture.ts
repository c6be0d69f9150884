/** A peer on a D-Bus, for tests: `sotto-lab bus-peer`, whose replies a test gives. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { BusCall } from '../../bus-connection.ts';
import { builtProgram } from '../../installation.ts';

export const lab = builtProgram('sotto-lab');

/** Properties by name, each with its present signature and value, which make a variant. */
export type MadeUp = Record<string, () => [signature: string, value: unknown]>;

/** Returns a method's reply; null: there is never a reply. Throwing refuses the call. */
export type Method = (
  body: readonly unknown[],
  sender: string,
) => readonly [signature: string, body: unknown[]] | null;

interface Called {
  call: number;
  sender: string;
  path: string;
  interface: string;
  member: string;
  body: unknown[];
}

type Said =
  | { is: 'joined' }
  | { is: 'owner'; name: string }
  | ({ is: 'called' } & Called)
  | { is: 'returned'; id: number; body: unknown[] }
  | { is: 'refused'; id: number; why: string };

const propertiesInterface = 'org.freedesktop.DBus.Properties';

export class BusPeer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #methods = new Map<string, Method>();
  readonly #returns = new Map<number, (said: Said) => void>();
  #waiting: ((said: Said) => void) | null = null;
  #lastId = 0;

  static async join(address: string): Promise<BusPeer> {
    const peer = new BusPeer(address);
    await peer.#next();
    return peer;
  }

  private constructor(address: string) {
    // In a group of its own, because a signal that ends a test's program comes before the program is done with its peer.
    this.#child = spawn(lab, ['bus-peer', '--address', address], { detached: true });
    this.#child.once('exit', () => this.#end());
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (text) => console.error(`a peer on the bus: ${text}`));
    createInterface(this.#child.stdout).on('line', (line) => this.#hear(JSON.parse(line)));
  }

  async own(name: string): Promise<void> {
    const done = this.#next();
    this.#order({ do: 'own', name });
    await done;
  }

  method(path: string, iface: string, member: string, method: Method): void {
    this.#methods.set(`${path} ${iface} ${member}`, method);
  }

  /** Get and GetAll of this interface. */
  serve(path: string, iface: string, properties: MadeUp): void {
    this.method(path, propertiesInterface, `Get ${iface}`, ([, name]) => {
      const found = properties[String(name)];
      if (found === undefined) throw new Error(`no property ${name}`);
      return ['v', [found()]];
    });
    this.method(path, propertiesInterface, `GetAll ${iface}`, () => {
      const all = Object.entries(properties).map(([name, read]) => [name, read()]);
      return ['a{sv}', [Object.fromEntries(all)]];
    });
  }

  signal(path: string, iface: string, member: string, signature: string, body: unknown[]): void {
    this.#order({ do: 'signal', path, interface: iface, member, signature, body });
  }

  changed(path: string, iface: string): void {
    this.signal(path, propertiesInterface, 'PropertiesChanged', 'sa{sv}as', [iface, {}, []]);
  }

  async call(call: Omit<BusCall, 'mayStart'>): Promise<unknown[]> {
    const id = ++this.#lastId;
    const said = new Promise<Said>((resolve) => this.#returns.set(id, resolve));
    this.#order({ do: 'call', id, signature: '', body: [], ...call });
    const outcome = await said;
    if (outcome.is !== 'returned')
      throw new Error(`${call.member} was refused: ${JSON.stringify(outcome)}`);
    return outcome.body;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  #order(order: object): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  #end(): void {
    for (const [id, settle] of this.#returns) settle({ is: 'refused', id, why: 'it has ended' });
    this.#returns.clear();
  }

  #next(): Promise<Said> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #hear(said: Said): void {
    if (said.is === 'called') this.#answer(said);
    else if (said.is === 'returned' || said.is === 'refused') {
      this.#returns.get(said.id)?.(said);
      this.#returns.delete(said.id);
    } else this.#waiting?.(said);
  }

  #answer({ call, sender, path, interface: iface, member, body }: Called): void {
    const plain = this.#methods.get(`${path} ${iface} ${member}`);
    const method = plain ?? this.#methods.get(`${path} ${iface} ${member} ${body[0]}`);
    try {
      if (method === undefined) throw new Error(`nobody made up ${member}`);
      const answer = method(body, sender);
      if (answer === null) return;
      this.#order({ do: 'return', call, signature: answer[0], body: answer[1] });
    } catch {
      this.#order({ do: 'refuse', call, error: 'org.freedesktop.DBus.Error.Failed' });
    }
  }
}
