/** The service, three operators at different distances, and the queries that are sent while these change. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Strategy } from '../../../app/contract/engine-words.ts';
import { eventually } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import { Capture } from '../../rig/network/capture.ts';
import { Link } from '../../rig/network/link.ts';
import type { Rule } from '../../rig/network/wire.ts';
import { SottoService } from '../../rig/sotto-service.ts';
import { Standstill } from '../../rig/standstill.ts';
import { type Asked, type Fate, type Heard, hearing } from './hearing.ts';
import { addresses, Operator, type OperatorId, operatorIds } from './operators.ts';

/** Milliseconds; null: a black hole. */
export type Distances = Record<OperatorId, number | null>;

const program = new URL('./ask-names.ts', import.meta.url).pathname;
/** Well below the time after which a query is tried elsewhere: `SIGN_OF_LIFE` in native/engine/src/upstream/selection/attempts.rs. */
const tolerableMs = 200;
const mostRounds = 10;

export class Stage {
  readonly service: SottoService;
  readonly #lab: Lab;
  readonly #link: Link;
  readonly #operators: Operator[];
  /** on the far machine's loopback: names, by operator */
  readonly #behind: Capture;
  /** on the client's interface */
  readonly #wire: Capture;
  readonly #distances: Distances;
  readonly #asked: Asked[] = [];

  /** `roundTripMs`: of each operator's path at first. */
  static async open(lab: Lab, strategy: Strategy, roundTripMs: Distances): Promise<Stage> {
    const link = await Link.open(lab, { farAddresses: Object.values(addresses) });
    const operators: Operator[] = [];
    for (const id of operatorIds) operators.push(await Operator.start(lab, link.far, id));
    await link.wire.rules(...rulesFor(roundTripMs));
    const behind = await Capture.start(lab, link.far, 'lo', '127.0.0.1');
    const wire = await link.capture();
    const settings = { upstreams: operators.map(({ upstream }) => upstream), strategy };
    const service = await SottoService.start(lab, settings, undefined, { on: link.client });
    return new Stage(lab, link, operators, behind, wire, service, roundTripMs);
  }

  private constructor(
    lab: Lab,
    link: Link,
    operators: Operator[],
    behind: Capture,
    wire: Capture,
    service: SottoService,
    distances: Distances,
  ) {
    this.#lab = lab;
    this.#link = link;
    this.#operators = operators;
    this.#behind = behind;
    this.#wire = wire;
    this.service = service;
    this.#distances = { ...distances };
  }

  /**
   * Queries these names at this rate a second, and waits for the last response. A machine that stood still meanwhile has queries tried
   * elsewhere, as Sotto should: then names of the same domains are queried instead.
   */
  async ask(situation: string, names: string[], rate = 50): Promise<void> {
    const dead = operatorIds.filter((id) => this.#distances[id] === null);
    for (let round = 1; ; round++) {
      const standstill = new Standstill();
      const asked = round === 1 ? names : names.map((name) => `again${round}-${name}`);
      const fates = await this.#askAll(asked, rate);
      if (standstill.end().longestMs > tolerableMs && round < mostRounds) continue;
      this.#asked.push({ situation, fates, dead, endedAt: Date.now() });
      return;
    }
  }

  async distance(id: OperatorId, roundTripMs: number | null): Promise<void> {
    this.#distances[id] = roundTripMs;
    await this.#link.wire.rules(...rulesFor(this.#distances));
  }

  async answersTake(id: OperatorId, ms: number): Promise<void> {
    await this.#operators.find((operator) => operator.id === id)?.answersTake(ms);
  }

  async connected(...ids: OperatorId[]): Promise<void> {
    await eventually(`${ids.join(', ')} connected`, async () => {
      const { upstreams } = await this.service.status();
      return ids.every((id) => upstreams.some((one) => one.id === id && one.state === 'ready'));
    });
  }

  /** The path to it is open again; queries to other operators go on until the service has noticed. */
  async comesBack(id: OperatorId, roundTripMs: number): Promise<void> {
    await this.distance(id, roundTripMs);
    const meanwhile: Asked = {
      situation: `${id} on its way back`,
      ...{ fates: [], dead: [], endedAt: Number.POSITIVE_INFINITY },
    };
    this.#asked.push(meanwhile);
    await eventually(`${id} is back`, async () => {
      const name = `m${meanwhile.fates.length}.back-${this.#asked.length}.example`;
      meanwhile.fates.push(...(await this.#askAll([name], 1000)));
      const { upstreams } = await this.service.status();
      return upstreams.some((one) => one.id === id && one.state === 'ready');
    });
  }

  async restartService(): Promise<void> {
    await this.service.stop();
    await this.service.restart();
  }

  /** Ends the captures. */
  async heard(): Promise<Heard[]> {
    const answeredBy = await this.#answeredBy();
    const captured = await this.#behind.clearQueries();
    return this.#asked.map((asked) => hearing(asked, captured, answeredBy));
  }

  /** Names that passed the client's interface in cleartext. */
  async inCleartext(): Promise<string[]> {
    return (await this.#wire.clearQueries()).map(({ name }) => name);
  }

  async #askAll(names: string[], rate: number): Promise<Fate[]> {
    const file = join(this.#lab.directory, 'names');
    await writeFile(file, names.join('\n'));
    const { address, port } = this.service.v4;
    const args = [program, address, String(port), String(rate), file];
    const timeoutMs = (names.length / rate) * 1000 + 60_000;
    const { stdout, stderr } = await this.#link.client.run(process.execPath, args, { timeoutMs });
    if (stdout === '') throw new Error(`the names were not asked\n${stderr}`);
    return JSON.parse(stdout) as Fate[];
  }

  async #answeredBy(): Promise<Map<string, string>> {
    const asked = this.#asked.flatMap(({ fates }) => fates);
    const answered = asked.filter(({ rcode }) => rcode !== null);
    return await eventually('every query that was answered is in the log', async () => {
      const events = await this.service.log({ limit: 2 * asked.length });
      const answeredBy = new Map(events.map(({ name, upstream }) => [name, upstream]));
      return answered.every(({ name }) => answeredBy.has(name)) && answeredBy;
    });
  }
}

function rulesFor(distances: Distances): Rule[] {
  return operatorIds.map((id) => {
    const roundTrip = distances[id];
    const on = { address: addresses[id] };
    return roundTrip === null ? { do: 'drop', on } : { do: { delay: { ms: roundTrip / 2 } }, on };
  });
}
