/**
 * Every command of docs/admin is run as it stands there, on machines that systemd has booted: from the installation of the package to
 * the last page, by hand and with Ansible, and both ways end with machines that are protected. What the pages show has to be printed.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inRoot } from '../../build/places.mjs';
import { describeWith } from '../rig/available.ts';
import { patienceMs } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import type { Finished } from '../rig/process.ts';
import { failsAsTold, isAsTold, type ToldCommands, toldCommands } from '../rig/told-commands.ts';
import { journalOf, whyNoSystemd } from './booted-computer.ts';
import { whyNoPackages } from './made-packages.ts';
import { Laptop } from './told-laptop.ts';
import { Office } from './told-office.ts';

/** The words that a page has in place of a fingerprint. */
const anyFingerprint = 'a1b2 c3d4 …';
const laptopNames = ['laptop-1', 'laptop-2'];
/** Some eighty commands, each a program that starts, on a machine that is busy with other tests. */
const allMs = 900_000;

/** What stands below a heading, up to the next one; without a heading, the whole page. */
function page(name: string, heading = ''): ToldCommands[] {
  const text = readFileSync(inRoot('docs', 'admin', `${name}.md`), 'utf8');
  const told = toldCommands(text);
  if (heading === '') return told;
  const lines = text.split('\n');
  const first = lines.indexOf(`## ${heading}`) + 1;
  expect(first, `${name}.md has "${heading}"`).toBeGreaterThan(0);
  const next = lines.findIndex((line, index) => index >= first && line.startsWith('## '));
  const end = next < 0 ? lines.length : next;
  return told.filter(({ line }) => line > first && line <= end);
}

/** These commands change nothing. */
function onlyLooks({ script }: ToldCommands): boolean {
  const lines = script.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.every((line) => /^(sotto status|sotto profile effective|dig )/.test(line));
}

const reason = whyNoSystemd() ?? whyNoPackages();
const needs = [
  'a lab',
  'sotto',
  'unbound',
  'openssl',
  'dig',
  'jq',
  'openssh-server',
  'sudo',
] as const;
const readers = ['promtool', 'curl', 'fstrm_capture', 'dnstap-ldns'] as const;
if (reason !== null) it('the pages for administrators', (context) => context.skip(reason));
else {
  describeWith([...needs, ...readers], 'the pages for administrators', () => {
    it(
      'lead by hand from two machines without Sotto to two that are protected, whatever goes wrong',
      async () => {
        const world = await World.open();
        await world.follow('deployment', page('deployment', 'With apt'));
        await world.follow('start', page('start'));
        await world.expectProtected();
        await world.follow('deployment', page('deployment', 'What no profile may change'));
        for (const name of ['recovery', 'threat-model', 'metrics'])
          await world.follow(name, page(name));
        await world.expectProtected();
        await world.expectReaderSupplied();
        await world.expectJournalExamplesRight();
        await world.expectTunnelToPage();
      },
      allMs,
    );
  });

  describeWith([...needs, 'ansible-playbook'], 'the pages for administrators', () => {
    it(
      'lead with Ansible from two machines without Sotto to two that are protected',
      async () => {
        const world = await World.open();
        const start = page('start');
        const published = start.findIndex(({ on }) => on.length > 0);
        await world.follow('start', start.slice(0, published));
        await world.follow('deployment', page('deployment', 'With Ansible'));
        await world.expectProtected();
        await world.follow('deployment', page('deployment', 'A certificate for each machine'));
        await world.expectProtected();
      },
      allMs,
    );
  });
}

/** The administrator's own machine, on which also resolver and web server run, and two laptops. */
class World {
  readonly #office: Office;
  readonly #laptops: ReadonlyMap<string, Laptop>;
  #fingerprint = '';

  static async open(): Promise<World> {
    const lab: Lab = await labForTest();
    const office = await Office.open(lab);
    const laptops = new Map<string, Laptop>();
    for (const [index, name] of laptopNames.entries())
      laptops.set(name, await Laptop.boot(lab, office, name, index));
    return new World(office, laptops);
  }

  private constructor(office: Office, laptops: ReadonlyMap<string, Laptop>) {
    this.#office = office;
    this.#laptops = laptops;
  }

  /** Stops at the first command that is not as told, because the next ones build on it. */
  async follow(pageName: string, all: readonly ToldCommands[]): Promise<void> {
    expect(all).not.toEqual([]);
    for (const told of all)
      for (const machine of told.on.length === 0 ? [null] : told.on)
        await this.#followOn(machine, told, `docs/admin/${pageName}.md:${told.line}`);
  }

  async #followOn(machine: string | null, told: ToldCommands, where: string): Promise<void> {
    const laptop = machine === null ? this.#office : this.#laptops.get(machine);
    if (laptop === undefined) throw new Error(`there is no ${machine}`);
    const script = told.script.replaceAll(anyFingerprint, this.#fingerprint);
    const once = async () => {
      const { code, stdout } = await laptop.run(script);
      return { code, stdout, isRight: told.prints === null || isAsTold(stdout, told.prints) };
    };
    const isAsItShould = ({ code, isRight }: Awaited<ReturnType<typeof once>>) =>
      isRight && (code === 0) !== failsAsTold(told);
    let found = await once();
    // Sotto follows the last change soon, and a person who only looks would look again.
    const until = Date.now() + patienceMs;
    while (onlyLooks(told) && !isAsItShould(found) && Date.now() < until) found = await once();
    const { code, stdout, isRight } = found;
    if (!isAsItShould(found)) await this.#tellJournals();
    const at = `${where}${machine === null ? '' : ` on ${machine}`}`;
    expect(code === 0, `${at} ended with ${code}:\n${stdout}`).toBe(!failsAsTold(told));
    expect(isRight, `${at} printed\n${stdout}and not\n${told.prints}`).toBe(true);
    this.#fingerprint = /the fingerprint\n {2}(.+)\n/.exec(stdout)?.[1] ?? this.#fingerprint;
  }

  /** As `sotto status` judges it, once the last change has been followed. */
  async expectProtected(): Promise<void> {
    for (const [name, laptop] of this.#laptops) {
      const status = async () => {
        const { code, stdout } = await laptop.run('sotto status');
        return code === 0 ? 'protected' : `${name}: ${stdout}`;
      };
      await expect.poll(status).toBe('protected');
    }
  }

  /** The dnstap reader of the page metrics gets what is asked. */
  async expectReaderSupplied(): Promise<void> {
    const figures = 'curl --silent --fail http://127.0.0.1:9653/metrics';
    const sent = async () => {
      const { stdout } = await this.#runOn('laptop-1', `dig +short www.corp.example\n${figures}`);
      return Number(/^sotto_dnstap_frames_total (\S+)$/m.exec(stdout)?.[1]);
    };
    await expect.poll(sent).toBeGreaterThan(0);
  }

  /** Those of sotto-journal(7), and one of the same kind that finds something in any case. */
  async expectJournalExamplesRight(): Promise<void> {
    const manual = await this.#runOn('laptop-1', 'MANWIDTH=200 man 7 sotto-journal | cat');
    const examples = manual.stdout.match(/^ +journalctl -u sotto .*$/gm) ?? [];
    expect(examples.length, manual.stdout).toBeGreaterThan(1);
    for (const example of examples) {
      const { code, stdout } = await this.#runOn('laptop-1', `set -o pipefail\n${example}`);
      expect(code, `${example}\n${stdout}`).toBe(0);
    }
    const found = (examples[0] ?? '').replace('dns-contested', 'service-started');
    expect((await this.#runOn('laptop-1', found)).stdout).toMatch(/^\{.*"service-started"/);
  }

  /** The example of `sotto ui --help` from the office: the page is there, at this end of the tunnel. */
  async expectTunnelToPage(): Promise<void> {
    const { stdout: help } = await this.#office.run('sotto ui --help');
    const example = /^ +(ssh -t -L (\d+):.*)$/m.exec(help);
    const [, command = '', port = ''] = example ?? [];
    expect(command, help).toContain(' host ');
    const onTerminal = `script --quiet --return --command '${command.replace(' host ', ' laptop-1 ')}' /dev/null`;
    // A terminal whose input ends would end with it.
    const script = `mkfifo typed; exec 9<> typed
${onTerminal} > tunnel.txt <&9 &
until curl --silent --fail http://127.0.0.1:${port}/ > page.html; do kill -0 $! || { cat tunnel.txt; exit 1; }; sleep 0.2; done
grep --count '<title>Sotto' page.html
until grep --only-matching 'http://127.0.0.1:${port}/#code=' tunnel.txt; do kill -0 $! || exit 1; sleep 0.2; done
kill $!`;
    const { code, stdout } = await this.#office.run(script);
    expect(code, stdout).toBe(0);
  }

  async #runOn(name: string, script: string): Promise<Finished> {
    const laptop = this.#laptops.get(name);
    if (laptop === undefined) throw new Error(`there is no ${name}`);
    return await laptop.run(script);
  }

  async #tellJournals(): Promise<void> {
    for (const { machine } of this.#laptops.values()) console.error(await journalOf(machine));
  }
}
