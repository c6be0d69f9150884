/**
 * Three operators on the far machine, each behind an address of its own:
 *
 *     service ── TLS ──▶ sotto-server ── in cleartext, on the far machine's loopback ──▶ zone
 *
 * On the second hop a capture shows which names an operator received.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sottoServer } from '../../rig/available.ts';
import type { Lab } from '../../rig/lab.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import type { Program } from '../../rig/process.ts';

export const operatorIds = ['one', 'two', 'three'] as const;
export type OperatorId = (typeof operatorIds)[number];

export const addresses: Record<OperatorId, string> = {
  one: '198.51.100.51',
  two: '198.51.100.52',
  three: '198.51.100.53',
};
/** The address of the zone behind it. */
export const behind: Record<OperatorId, string> = {
  one: '127.0.0.11',
  two: '127.0.0.12',
  three: '127.0.0.13',
};

export class Operator {
  readonly id: OperatorId;
  readonly #lab: Lab;
  readonly #far: Namespace;
  #front: Program | undefined;
  #zone: Program | undefined;

  static async start(lab: Lab, far: Namespace, id: OperatorId): Promise<Operator> {
    const operator = lab.adopt(new Operator(lab, far, id));
    await operator.answersTake(0);
    operator.#front = await operator.#server([
      ...['--to', behind[id], '--dot', addresses[id]],
      ...['--self-signed', operator.#name, '--certificate-out', operator.#ca],
    ]);
    return operator;
  }

  private constructor(lab: Lab, far: Namespace, id: OperatorId) {
    this.id = id;
    this.#lab = lab;
    this.#far = far;
  }

  /** The upstream as in settings.json. */
  get upstream() {
    const { id } = this;
    return { id, transport: 'dot', address: addresses[id], name: this.#name, ca: this.#ca };
  }

  /** Changes the path from now on, also for connections that are open; no query may be waiting for a response. */
  async answersTake(ms: number): Promise<void> {
    await this.#zone?.stop();
    const file = join(this.#lab.directory, `${this.id}.zone`);
    await writeFile(file, zoneText);
    this.#zone = await this.#server([
      ...['--zone', file, '--delay', `${ms}ms`, '--starttls', behind[this.id]],
      ...['--self-signed', this.#name],
      // the server in front of it sends queries without cookies
      ...['--udp-unproven', 'full'],
    ]);
  }

  async stop(): Promise<void> {
    await this.#front?.stop();
    await this.#zone?.stop();
  }

  transcript(): string {
    return [this.#front, this.#zone].map((program) => program?.transcript() ?? '').join('\n');
  }

  get #name(): string {
    return `${this.id}.operator.example`;
  }

  get #ca(): string {
    return join(this.#lab.directory, `${this.id}.pem`);
  }

  async #server(args: string[]): Promise<Program> {
    const program = await this.#far.start(sottoServer, [...args, '--threads', '1']);
    await program.ready(async () => /^\{.*\}$/m.test(program.stdout));
    return program;
  }
}

/** Any name has an address. */
const zoneText = `$TTL 300
@ SOA ns.example. hostmaster.example. 1 3600 900 86400 60
@ NS ns.example.
* A 203.0.113.7
`;
