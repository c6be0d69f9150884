/** A machine that is enrolled in a profile, takes its versions, and answers queries meanwhile. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Result } from '../../app/contract/errors.ts';
import { fingerprintOf, writePublicKey } from '../../app/service/profiles/minisign.ts';
import { publicKeyOf } from '../../app/service/profiles/secret-key.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { encodeQuery, rcodes } from '../../e2e/rig/message.ts';
import { SottoServer } from '../../e2e/rig/peers/sotto-server.ts';
import { Program } from '../../e2e/rig/process.ts';
import { askUdp } from '../../e2e/rig/raw-client.ts';
import { SottoService } from '../../e2e/rig/sotto-service.ts';
import { zone } from '../../e2e/rig/zones/far.ts';
import { writeZone } from '../../e2e/rig/zones/zone-file.ts';
import { internalZone, key, nameOf, rules, signed } from './made-up-profile.ts';
import type { Latency } from './steady-asker.ts';

const rate = 200;
const fewNames = 10;
const asker = join(import.meta.dirname, 'steady-asker.ts');

/** Milliseconds. */
export interface Taken {
  /** until a query is answered by the new version */
  appliedMs: number;
  repliedMs: number;
  /** the longest latencies in the second before, and from then on */
  quiet: Longest;
  meanwhile: Longest;
  asked: number;
  lost: number;
}

interface Longest {
  cached: number;
  forwarded: number;
}

interface Parts {
  service: SottoService;
  client: ConnectedService;
  servers: SottoServer[];
  /** of the internal resolver */
  port: number;
}

export class Fleet {
  readonly #parts: Parts;
  #serial = 0;

  static async open(lab: Lab): Promise<Fleet> {
    const far = await SottoServer.start(lab);
    const { file } = await writeZone(lab, internalZone, ['* A 203.0.113.9']);
    const internal = await SottoServer.start(lab, { answers: file });
    const service = await SottoService.start(lab, { upstreams: [far.upstream('far')] });
    const client = unwrapped(await connectToService(join(service.home, 'control.sock'), 'a bench'));
    const { port } = internal.starttls;
    const fleet = new Fleet({ service, client, servers: [far, internal], port });
    await fleet.#publish(fewNames);
    const own = publicKeyOf(key);
    const agreed = { key: writePublicKey(own), fingerprint: fingerprintOf(own) };
    const source = pathToFileURL(fleet.#file).href;
    unwrapped(await client.call('profile.enrol', { source, ...agreed, grants: ['bypass'] }));
    return fleet;
  }

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A version with so many names, the last of which is new. */
  async take(count: number): Promise<Taken> {
    const { service, client } = this.#parts;
    await this.#publish(count);
    const asking = await Program.start(process.execPath, [
      ...[asker, service.v4.address, `${service.port}`, zone, `${rate}`],
    ]);
    await asking.ready(async () => asking.stdout.includes('asking'));
    await after(1000);
    const [at, begun] = [Date.now(), performance.now()];
    const [repliedMs, appliedMs] = await Promise.all([
      client.call('profile.update', {}).then((taken) => {
        unwrapped(taken);
        return performance.now() - begun;
      }),
      this.#isAnswered(`www.${nameOf(count - 1)}`).then(() => performance.now() - begun),
    ]);
    await after(2000);
    await asking.stop();
    const lines = asking.stdout.split('\n').filter((line) => line.startsWith('{'));
    const all = lines.map((line) => JSON.parse(line) as Latency);
    return {
      ...{ appliedMs, repliedMs, asked: all.length },
      lost: all.filter(({ ms }) => ms === null).length,
      quiet: longest(all.filter((one) => one.at < at)),
      meanwhile: longest(all.filter((one) => one.at >= at)),
    };
  }

  async close(): Promise<void> {
    const { client, service, servers } = this.#parts;
    client.close();
    for (const one of [service, ...servers]) await one.stop();
  }

  get #file(): string {
    return join(this.#parts.service.home, 'corp.json');
  }

  async #publish(count: number): Promise<void> {
    this.#serial += 1;
    const { octets, signature } = signed(this.#serial, rules(count, this.#parts.port));
    await writeFile(this.#file, octets);
    await writeFile(`${this.#file}.minisig`, signature);
  }

  /** The upstream refuses the name; the internal resolver knows it. */
  async #isAnswered(name: string): Promise<void> {
    for (;;) {
      const response = await askUdp(this.#parts.service.v4, encodeQuery(name, 'A'));
      if ((response.readUInt16BE(2) & 0xf) === rcodes.NOERROR) return;
      await after(5);
    }
  }
}

function longest(all: readonly Latency[]): Longest {
  const of = (wanted: boolean) =>
    Math.max(...all.flatMap(({ ms, cached }) => (cached === wanted && ms !== null ? ms : [])));
  return { cached: of(true), forwarded: of(false) };
}

function unwrapped<Value>(result: Result<Value>): Value {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
