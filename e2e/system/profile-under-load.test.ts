/**
 * Versions of a profile that come while a thousand queries are on their way, and deaths of the service at each step of taking one:
 * every query is answered, at the latest when its program asks again, and nothing is permitted to leave in cleartext.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Outcome } from '../lab/policy-matrix/steady-queries.ts';
import { commandLine, describeWith } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { rcodes } from '../rig/message.ts';
import { SottoServer, serverName } from '../rig/peers/sotto-server.ts';
import { Program, run } from '../rig/process.ts';
import { zone } from '../rig/zones/far.ts';
import { GuardedService } from './guardian.ts';

const burst = new URL('../networks/burst.ts', import.meta.url).pathname;
const inFlight = 1000;
/** Long enough that all are on their way when the version comes. */
const delay = '500ms';

/** After which programs ask again, where something is lost; and where nothing is, so long that only a loss is seen. */
const shortMs = 5000;
const longMs = 60_000;

/** Where the service dies; `none`: it lives. */
const steps = ['none', 'asked for', 'written', 'replied to'] as const;
type Step = (typeof steps)[number];

class Scene {
  readonly #lab: Lab;
  readonly #servers: readonly SottoServer[];
  readonly #service: GuardedService;
  #serial = 0;

  static async open(lab: Lab): Promise<Scene> {
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: [`DNS:${serverName}`] });
    const servers = [
      await SottoServer.start(lab, { identity, delay }),
      await SottoServer.start(lab, { identity, delay }),
    ];
    const upstreams = servers.slice(0, 1).map((server) => server.upstream('far'));
    const service = await GuardedService.start(lab, { upstreams });
    await service.ready();
    const scene = new Scene(lab, servers, service);
    await scene.sotto('profile', 'keygen', scene.#at('corp'), '--no-password');
    const first = await scene.nextVersion();
    const key = ['--key', scene.#at('corp.pub')];
    const verified = await scene.sotto('profile', 'verify', first, ...key, '--json');
    const { fingerprint } = JSON.parse(verified) as { fingerprint: string };
    const agreed = ['--fingerprint', fingerprint, '--allow', 'authorities'];
    await scene.sotto('profile', 'enrol', first, ...key, ...agreed);
    return scene;
  }

  private constructor(lab: Lab, servers: readonly SottoServer[], service: GuardedService) {
    this.#lab = lab;
    this.#servers = servers;
    this.#service = service;
  }

  get serial(): number {
    return this.#serial;
  }

  /** Puts the upstream to the other server each time. */
  async nextVersion(): Promise<string> {
    this.#serial += 1;
    const server = this.#servers[this.#serial % this.#servers.length];
    const file = this.#at(`corp-${this.#serial}.json`);
    const facts = { id: 'example-corp', issuer: 'Example Corp', name: 'Laptops' };
    const settings = {
      upstreams: { value: [server?.upstream('far')], lock: 'locked' },
      downgrade: { value: 'refuse', lock: 'locked' },
    };
    await writeFile(file, JSON.stringify({ ...facts, serial: this.#serial, settings }));
    await this.sotto('profile', 'sign', file, '--key', this.#at('corp.key'));
    return file;
  }

  async sotto(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...words);
    expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
    return stdout;
  }

  run(...words: string[]) {
    const env = { SOTTO_HOME: this.#service.home };
    return run(process.execPath, [commandLine, ...words], { env });
  }

  /** A thousand names at once; resolves when all were asked for. */
  async ask(below: string, patienceMs: number): Promise<Program> {
    const { address, port } = this.#service.endpoint;
    const words = [burst, address, `${port}`, `${below}.${zone}`, `${inFlight}`, `${patienceMs}`];
    const asking = this.#lab.adopt(await Program.start(process.execPath, words));
    // What is in the cache is answered at once, and it has ended by then.
    await asking.line(/^asked$/m);
    return asking;
  }

  /** The version is taken, or the service is killed at that step, and runs again. */
  async take(file: string, step: Step): Promise<void> {
    const { starts } = this.#service;
    const taking = this.run('profile', 'update', file);
    if (step === 'written')
      await eventually('it is written', () => this.#written() === this.#serial);
    if (step === 'replied to' || step === 'none') await taking;
    if (step !== 'none') {
      this.#service.signalService('SIGKILL');
      await this.#service.ready(starts + 1);
    }
    await taking;
  }

  #written(): number {
    const text = readFileSync(this.#at('profile.json'), 'utf8');
    return (JSON.parse(text) as { serial: number }).serial;
  }

  #at(file: string): string {
    return join(this.#service.home, file);
  }
}

async function outcomesOf(asking: Program): Promise<Outcome[]> {
  await asking.exited;
  const lines = asking.stdout.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line) as Outcome);
}

const unanswered = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ rcode }) => rcode !== rcodes.NOERROR);

describeWith(['sotto', 'sotto-server', 'openssl'], 'a version that comes under load', () => {
  it.each(steps)('loses no query, with a death of the service: %s', async (step) => {
    const scene = await Scene.open(await labForTest());
    const file = await scene.nextVersion();
    const asking = await scene.ask(`first-${scene.serial}`, step === 'none' ? longMs : shortMs);
    await scene.take(file, step);
    const outcomes = await outcomesOf(asking);
    expect(outcomes).toHaveLength(inFlight);
    const lost = unanswered(outcomes);
    if (step === 'none') expect(lost).toEqual([]);
    // Programs ask again for what went down with the service.
    expect(lost.filter(({ rcode }) => rcode !== null)).toEqual([]);
    const again = await outcomesOf(await scene.ask(`first-${scene.serial}`, longMs));
    expect(unanswered(again)).toEqual([]);
    const shown = await scene.sotto('profile', 'status', '--json');
    const { profile } = JSON.parse(shown) as { profile: { serial: number } };
    expect([scene.serial - 1, scene.serial]).toContain(profile.serial);
    if (step !== 'asked for') expect(profile.serial).toBe(scene.serial);
    expect(await scene.sotto('ledger', '--json')).toBe('');
    console.log(`figure: ${inFlight} queries on their way, ${step}: ${lost.length} asked again`);
  });
});
