/**
 * Deaths of the service while a version that does not work comes back, at each step of it and with a thousand queries on their way:
 * afterwards the version before stands in, each name is answered, and none left in cleartext.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Outcome } from '../lab/policy-matrix/steady-queries.ts';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { rcodes } from '../rig/message.ts';
import type { Program } from '../rig/process.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { Standstill } from '../rig/standstill.ts';
import { zone } from '../rig/zones/far.ts';
import {
  allow,
  askedInCleartext,
  comesBackWithinMs,
  Fleet,
  strict,
  wrongAddress,
} from './fleet.ts';

const burst = new URL('./burst.ts', import.meta.url).pathname;
const inFlight = 1000;
/** Each query has four and a half seconds. */
const tolerableMs = 500;

/** Where the service dies. */
const steps = ['looking', 'written', 'told'] as const;
type Step = (typeof steps)[number];

class Scene {
  readonly #lab: Lab;
  readonly #fleet: Fleet;
  readonly #service: SottoService;

  static async open(lab: Lab): Promise<Scene> {
    const scene = new Scene(lab, await Fleet.open(lab));
    await scene.#publish(1, '198.51.100.53');
    await scene.#fleet.source.enrol(scene.#service, ...allow);
    return scene;
  }

  private constructor(lab: Lab, fleet: Fleet) {
    this.#lab = lab;
    this.#fleet = fleet;
    this.#service = fleet.canary;
  }

  get service(): SottoService {
    return this.#service;
  }

  async #publish(serial: number, address: string): Promise<void> {
    const upstreams = { value: [this.#fleet.upstream(address)], lock: 'locked' };
    await this.#fleet.source.publish(this.#service, serial, { upstreams, ...strict });
  }

  /** A version comes that works nowhere; the service dies at that step, and is started again. Queries come all the time. */
  async breakAndDie(step: Step): Promise<void> {
    await this.#publish(2, wrongAddress);
    await this.#fleet.look(this.#service);
    let asking = await this.#ask('broken1');
    let rounds = 1;
    const isThere = async () => {
      if (outcomesIn(asking).length === inFlight) asking = await this.#ask(`broken${++rounds}`);
      return await this.#isAt(step);
    };
    await eventually(`the step "${step}"`, isThere, comesBackWithinMs);
    await this.#service.kill();
    await asking.exited;
    console.log(`figure: ${step}: ${answeredIn(asking)} of ${inFlight} answered before the death`);
    await this.#service.restart();
    const isBack = () => this.#standsIn();
    await eventually('the version before stands in', isBack, comesBackWithinMs);
  }

  /** Of a thousand queries those that were not answered. While a machine stands still their time passes, so they don't count. */
  async unanswered(below: string): Promise<Outcome[]> {
    let rounds = 0;
    const outcomes = await eventually('a thousand queries have their time', async () => {
      const standstill = new Standstill();
      const asking = await this.#ask(`${below}${++rounds}`);
      await asking.exited;
      const isFair = answeredIn(asking) === inFlight || standstill.end().longestMs < tolerableMs;
      return isFair && outcomesIn(asking);
    });
    expect(outcomes).toHaveLength(inFlight);
    return outcomes.filter(({ rcode }) => rcode !== rcodes.NOERROR);
  }

  async capture() {
    return await this.#fleet.stage.capture();
  }

  /** Resolves when all were sent. */
  async #ask(below: string): Promise<Program> {
    const words = [burst, '127.0.0.1', `${this.#service.port}`, `${below}.${zone}`, `${inFlight}`];
    const machine = this.#fleet.machineOf(this.#service);
    const asking = this.#lab.adopt(await machine.start(process.execPath, words));
    await asking.ready(async () => asking.stdout.includes('asked'));
    return asking;
  }

  async #isAt(step: Step): Promise<boolean> {
    switch (step) {
      case 'looking':
        return true;
      case 'written':
        return this.#rests();
      case 'told':
        return await this.#standsIn();
    }
  }

  async #standsIn(): Promise<boolean> {
    return (await this.#fleet.shown(this.#service)).standsIn === 1;
  }

  /** Whether it is written that the new version rests here. */
  #rests(): boolean {
    const text = readFileSync(join(this.#service.home, 'profile.json'), 'utf8');
    const { trial } = JSON.parse(text) as { trial: { resting: string[] } | null };
    return (trial?.resting.length ?? 0) > 0;
  }
}

function outcomesIn(asking: Program): Outcome[] {
  const lines = asking.stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Outcome);
}

function answeredIn(asking: Program): number {
  return outcomesIn(asking).filter(({ rcode }) => rcode === rcodes.NOERROR).length;
}

describeInNetworks(['sotto', 'dig', 'openssl'], 'a version that comes back', () => {
  it.for(steps)(
    'loses no query, with a death of the service: %s',
    { timeout: 3 * comesBackWithinMs },
    async (step) => {
      const scene = await Scene.open(await labForTest());
      const capture = await scene.capture();
      await scene.breakAndDie(step);
      expect(await scene.unanswered('back')).toEqual([]);
      expect((await scene.service.cli('ledger', '--json')).stdout).toBe('');
      expect(await askedInCleartext(capture)).toEqual([]);
    },
  );
});
