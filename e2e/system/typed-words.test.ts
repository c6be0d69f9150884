/** What a person types is understood, wherever the service and its client are: international names, prefixes, times of day. */
import { beforeAll, expect, it } from 'vitest';
import { commandLine, describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { run } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

const letters = `shop.bücher.${garden}`;
const wire = `shop.xn--bcher-kva.${garden}`;

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'words that a person types', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
    const far = upstream('far', 'dot', stage.unbound.tls, trusting(stage));
    service = await SottoService.start(lab, { upstreams: [far] }, undefined, {
      env: { TZ: 'Pacific/Honolulu' },
    });
    await digInTime(service.v4, wire);
    await eventually('it is in the log', async () => {
      return (await service.log({ name: wire, outcome: 'forwarded' })).length > 0;
    });
  });

  async function found(...words: string[]): Promise<unknown[]> {
    const { stdout, stderr } = await service.cli('log', '--json', ...words);
    if (stderr.includes('filter-invalid')) throw new Error(stderr);
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).name]));
  }

  it.each([
    ['bücher'],
    ['BÜCH'],
    [`name:${letters}`],
    [`*.bücher.${garden}`],
    ['xn--bcher'],
    ['client:127.0.0.0/8'],
    ['client:::ffff:127.0.0.1'],
    [`bücher client:127.0.0.1/32 upstream:far`],
  ])('sotto log %s finds it', async (word) => {
    expect(await found(...word.split(' '))).toContain(wire);
  });

  it('a prefix of others finds nothing, and what is none is told', async () => {
    expect(await found('client:10.0.0.0/8')).toEqual([]);
    const { code, stderr } = await service.cli('log', 'client:127.0.0.1:53');
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining('without a port')]);
    expect(code).not.toBe(0);
  });

  it('a live view understands it, too', async () => {
    const live = await service.follow(lab);
    await eventually('the log is followed', async () => {
      await dig(service.v4, wire);
      return live.stdout.includes(wire);
    });
    await live.stop('SIGINT');
  });

  it('a time of day is of the zone of whoever types it', async () => {
    const zone = 'Asia/Kolkata';
    const clock = (at: number) =>
      new Date(at).toLocaleString('sv-SE', { timeZone: zone }).replace(' ', 'T');
    const inZone = async (word: string) =>
      await run(process.execPath, [commandLine, 'log', '--json', word], {
        env: { SOTTO_HOME: service.home, TZ: zone },
      });
    const hour = 3_600_000;
    expect((await inZone(`since:${clock(Date.now() - hour)}`)).stdout).toContain(wire);
    expect((await inZone(`since:${clock(Date.now() + hour)}`)).stdout).toBe('');
    expect((await inZone(`until:${clock(Date.now() - hour)}`)).stdout).toBe('');
  });

  it('the cache, an explanation and a rule take the name as it is read', async () => {
    expect((await service.cli('rule', 'explain', letters)).stdout).toContain(wire);
    // It is kept for a minute, and a slow machine takes longer to come here.
    await eventually('the cache has it', async () => {
      await dig(service.v4, wire);
      return (await service.cli('cache', 'show', letters)).stdout.includes('NXDOMAIN');
    });
    const added = await service.cli('rule', 'add', '=bücher.corp.example', '192.0.2.53');
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect((await service.cli('rule', 'list')).stdout).toContain('=xn--bcher-kva.corp.example');
    expect((await service.cli('rule', 'remove', '=bücher.corp.example')).code).toBe(0);
  });

  it('a rule for names that are answered here is refused, and the verdict stays', async () => {
    const before = (await service.status()).verdict;
    for (const names of ['onion', '=a.localhost', '::1/128']) {
      const { code, stderr } = await service.cli('rule', 'add', names, '192.0.2.53', '--downgrade');
      expect([code === 0, stderr]).toEqual([
        false,
        expect.stringContaining('Sotto answers these names itself'),
      ]);
    }
    const { verdict, clear } = await service.status();
    expect([verdict, clear]).toEqual([before, []]);
  });
});
