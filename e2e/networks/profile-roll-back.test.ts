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
import { zone } from '../rig/zones/far.ts';
import { allow, askedInCleartext, Fleet, strict, wrongAddress } from './fleet.ts';

const burst = new URL('./burst.ts', import.meta.url).pathname;
const inFlight = 1000;

/** Where the service dies. */
const steps = ['looking', 'written', 'told'] as const;
type Step = (typeof steps)[number];

class Scene {
  readonly #lab: Lab;
  readonly #fleet: Fleet;
  readonly #service: SottoService;
  #serial = 0;

  static async open(lab: Lab): Promise<Scene> {
    const scene = new Scene(lab, await Fleet.open(lab));
    await scene.#publish('198.51.100.53');
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

  async #publish(address: string): Promise<void> {
    this.#serial += 1;
    const upstreams = { value: [this.#fleet.upstream(address)], lock: 'locked' };
    await this.#fleet.source.publish(this.#service, this.#serial, { upstreams, ...strict });
  }

  /** A version comes that works nowhere; the service dies at that step, and is started again. */
  async breakAndDie(step: Step): Promise<void> {
    await this.#publish(wrongAddress);
    await this.#fleet.look(this.#service);
    const asking = await this.#ask(`broken-${step}`);
    if (step === 'written') await eventually('it is written', () => this.#hasFound('resting'));
    if (step === 'told') await this.#standsIn();
    await this.#service.kill();
    const early = (await this.#outcomesOf(asking)).filter(({ rcode }) => rcode === rcodes.NOERROR);
    if (step === 'looking') expect(early).toEqual([]);
    await this.#service.restart();
    await this.#standsIn();
  }

  /** Another server each time: only a version that was tried, and works, is one to come back to. */
  async repair(): Promise<void> {
    await this.#publish(this.#serial % 4 === 2 ? '198.51.100.54' : '198.51.100.53');
    await this.#fleet.look(this.#service);
    await eventually('the new version works', () => this.#hasFound('worked'));
  }

  /** Names of a thousand queries that were not answered. */
  async unanswered(below: string): Promise<Outcome[]> {
    const outcomes = await this.#outcomesOf(await this.#ask(below));
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

  async #outcomesOf(asking: Program): Promise<Outcome[]> {
    await asking.exited;
    const lines = asking.stdout.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Outcome);
  }

  async #standsIn(): Promise<void> {
    await eventually('the version before stands in', async () => {
      return (await this.#fleet.shown(this.#service)).standsIn === this.#serial - 1;
    });
  }

  /** Whether that is written of the newest version, for some network. */
  #hasFound(verdict: 'worked' | 'resting'): boolean {
    const text = readFileSync(join(this.#service.home, 'profile.json'), 'utf8');
    const { serial, trial } = JSON.parse(text) as {
      serial: number;
      trial: Record<typeof verdict, string[]> | null;
    };
    return serial === this.#serial && (trial?.[verdict].length ?? 0) > 0;
  }
}

describeInNetworks(['sotto', 'dig', 'openssl'], 'a version that comes back', () => {
  it('does so whenever the service dies meanwhile, and loses no query', async () => {
    const scene = await Scene.open(await labForTest());
    const capture = await scene.capture();
    for (const step of steps) {
      await scene.breakAndDie(step);
      expect(await scene.unanswered(`back-${step}`), step).toEqual([]);
      await scene.repair();
    }
    expect((await scene.service.cli('ledger', '--json')).stdout).toBe('');
    expect(await askedInCleartext(capture)).toEqual([]);
  });
});
