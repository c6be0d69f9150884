/** When a permission ends while the disk is full, the ledger still counts what left under it, to the last packet. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { addressAnswer, encodeQuery, nameAsked, parse, rcodes } from '../rig/message.ts';
import { run, succeed } from '../rig/process.ts';
import { askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';

describeWith(['sotto'], 'a permission that ends while the disk is full', () => {
  it.for(['goes on', 'is killed'] as const)(
    'is counted to the last packet, where the service %s',
    { timeout: 180_000 },
    async (then, context) => {
      if (process.getuid?.() !== 0)
        return context.skip('run as root, to mount a disk that can be full');
      const lab = await labForTest();
      const disk = await SmallDisk.mount(lab);
      const office = await Office.open(lab);
      const rule = { suffix: 'corp.example', to: [office.address] };
      const service = await SottoService.start(lab, { bypass: [rule] });
      const ask = async (name: string) =>
        parse(await askUdp(service.v4, encodeQuery(`${name}.corp.example`, 'A'))).rcode;
      const write = (bypass: object[]) =>
        writeFileSync(
          join(service.home, 'settings.json'),
          JSON.stringify({ listen: [`127.0.0.1:${service.port}`], bypass }),
        );
      const isInForce = async (wanted: boolean) =>
        (await rules(service)).includes(rule.suffix) === wanted;
      for (const name of ['a', 'b', 'c']) expect(await ask(name)).toBe(rcodes.NOERROR);
      await eventually(
        'the ledger has them',
        async () => sum(await ledger(service)) === office.heard.length,
      );

      disk.fill();
      for (const name of ['d', 'e']) expect(await ask(name)).toBe(rcodes.NOERROR);
      disk.fill();
      write([]);
      await eventually('the rule is gone', () => isInForce(false));
      if (then === 'is killed') await service.kill();
      else {
        write([rule]);
        await eventually('the rule is there again', () => isInForce(true));
        // this is refused where nothing can be written; the service's own files may have left room
        await ask('f');
      }
      disk.empty();
      write([rule]);
      if (then === 'is killed') await service.restart();
      await eventually('it is permitted again', async () => (await ask('g')) === rcodes.NOERROR);
      expect(await ask('h')).toBe(rcodes.NOERROR);
      await eventually(
        'ledger and wire are equal',
        async () => sum(await ledger(service)) === office.heard.length,
      );
      const open = (await ledger(service)).filter(({ closed }) => closed === null);
      expect(open).toHaveLength(1);
    },
  );
});

const sum = (entries: LedgerEntry[]) => entries.reduce((all, { count }) => all + (count ?? 0), 0);

async function ledger(service: SottoService): Promise<LedgerEntry[]> {
  const { stdout } = await service.cli('ledger', '--json', '--limit', '100');
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}

async function rules(service: SottoService): Promise<string[]> {
  const { rules } = await service.json<{ rules: { suffix: string }[] }>('rule', 'list');
  return rules.map(({ suffix }) => suffix);
}

/** The folder where the lab keeps everything from now on. */
class SmallDisk {
  readonly #folder: string;

  static async mount(lab: Lab): Promise<SmallDisk> {
    await succeed('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', lab.directory]);
    return lab.adopt(new SmallDisk(lab.directory));
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  get #filler(): string {
    return join(this.#folder, 'filler');
  }

  fill(): void {
    const file = openSync(this.#filler, 'a');
    for (const octets of [65_536, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(octets, 1));
      } catch {
        // the disk is full
      }
    }
    closeSync(file);
  }

  empty(): void {
    rmSync(this.#filler);
  }

  async stop(): Promise<void> {
    await run('umount', ['-l', this.#folder]);
  }
}

/** A resolver that knows every name, and notes each that it receives. */
class Office {
  readonly heard: string[] = [];
  readonly #socket: Socket;

  static async open(lab: Lab): Promise<Office> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return lab.adopt(new Office(socket));
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, { port, address }) => {
      this.heard.push(nameAsked(query));
      socket.send(addressAnswer(query, '10.0.0.7'), port, address);
    });
  }

  get address(): string {
    const { address, port } = this.#socket.address();
    return `${address}:${port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((done) => this.#socket.close(done));
  }
}
