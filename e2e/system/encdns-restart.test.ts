/**
 * An EncDNS server that is started again with another key while queries are on their way. With the old key behind the new one no name
 * is lost; without it, names are refused, and none leaves in cleartext.
 */
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { encodeQuery, parse } from '../rig/message.ts';
import { type EncdnsServer, encdnsZone, startEncdnsServer } from '../rig/peers/encdns-server.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { freePort } from '../rig/ports.ts';
import { askUdp, type Endpoint, text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { zone as far, farZone } from '../rig/zones/far.ts';

const programs = 8;
/** How many names each program asks for before the restart, and again after it. */
const enough = 15;
/** All programs share one key pair, and each of them has a query on its way nearly all the time. */
const options = ['--encdns-per-client', '100000', '--delay', '20ms'];

describeWith(['sotto', 'sotto-server', 'dig'], 'an EncDNS server with a new key', () => {
  const lab = labForFile();
  let answers: string[];
  let first: EncdnsServer;
  let tap: PlainTap;
  let service: SottoService;

  const upstream = (key: string, id: string) => ({
    id,
    transport: 'encdns',
    zone: encdnsZone,
    key,
    address: text(tap.endpoint),
  });

  beforeAll(async () => {
    answers = ['--zone', await farZone(lab)];
    // A port that no other program gets while nobody listens there.
    const listen = `127.0.0.1:${await freePort()}`;
    first = await startEncdnsServer(lab, { answers, options, listen });
    tap = await PlainTap.start(lab, first);
    const upstreams = [upstream(first.key, 'old')];
    service = await SottoService.start(lab, { upstreams, downgrade: 'refuse' });
  });

  it('answers every name with the old key still accepted, then with the new one', async () => {
    const load = new Load(service.v4);
    await load.until(enough);
    await first.stop('SIGKILL');
    const second = await startEncdnsServer(lab, {
      answers,
      options,
      listen: text(first),
      olderKey: first.keyFile,
    });
    await load.until(enough);
    await load.end();
    await service.apply({ upstreams: [upstream(second.key, 'new')], downgrade: 'refuse' });
    await eventually('the new key serves', () => answered(service.v4, `new.${far}`));
    const { for_older_keys: older } = await second.counters();
    expect(older).toBeGreaterThanOrEqual(programs * enough);
    for (const name of ['a', 'b', 'c'].map((label) => `${label}.new.${far}`))
      await eventually(name, () => answered(service.v4, name));
    expect((await second.counters())['for_older_keys'], 'nobody needs the old one').toBe(older);
    expectOnlyBoxes(tap);
    await second.stop();
  });

  it('refuses names where the old key is gone, and says why', async () => {
    const third = await startEncdnsServer(lab, { answers, listen: text(first) });
    const name = `lost.${far}`;
    const refused = await eventually('the reason', async () => {
      const response = await dig(service.v4, name);
      return response.extendedError?.text.includes('responded SERVFAIL') && response;
    });
    expect(refused.status).toBe('SERVFAIL');
    await expect.poll(() => service.logged(name)).toMatchObject({ outcome: 'refused' });
    const lastError = async () => (await service.status()).upstreams[0]?.lastError;
    await expect.poll(lastError).toMatchObject({ code: 'encdns-not-carried' });
    expect((await third.counters())['not_opened']).toBeGreaterThan(0);
    expect((await service.cli('ledger', '--json')).stdout).toBe('');
    expectOnlyBoxes(tap);
  });
});

/** Programs that ask for one fresh name after the other, each until it is answered. */
class Load {
  readonly #to: Endpoint;
  #answered: number[] = Array(programs).fill(0);
  #isEnding = false;
  readonly #programs: Promise<void>[];

  constructor(to: Endpoint) {
    this.#to = to;
    this.#programs = this.#answered.map((_, program) => this.#run(program));
  }

  /** Each program has that many more answers, or one of them failed. */
  async until(more: number): Promise<void> {
    const wanted = this.#answered.map((count) => count + more);
    const enough = eventually('answers', () =>
      this.#answered.every((count, program) => count >= (wanted[program] ?? 0)),
    );
    await Promise.race([enough, Promise.all(this.#programs)]);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#programs);
  }

  async #run(program: number): Promise<void> {
    for (let count = 0; !this.#isEnding; count += 1) {
      const name = `n${count}-of-${program}.${far}`;
      await eventually(name, () => answered(this.#to, name));
      this.#answered[program] = count + 1;
    }
  }
}

async function answered(to: Endpoint, name: string): Promise<boolean> {
  const { rcode, answers } = parse(await askUdp(to, encodeQuery(name, 'A')));
  return rcode === 0 && answers.length === 1;
}

function expectOnlyBoxes({ names }: PlainTap): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !name.endsWith(`.${encdnsZone}`))).toEqual([]);
  expect(names.filter((name) => name.includes(far))).toEqual([]);
}
