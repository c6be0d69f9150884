/**
 * A settings file that vanishes loosens nothing, neither while the service runs nor across a restart. Here an administrator
 * recommends a resolver in cleartext for everything, and the person's own settings override that.
 */

import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { PlainTap } from '../rig/peers/plain-tap.ts';
import { text } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { garden, plant } from '../rig/zones/garden.ts';
import { digInTime, openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'settings that vanish', () => {
  const lab = labForFile();
  let stage: Stage;
  let tap: PlainTap;
  beforeAll(async () => {
    stage = await openStage(lab);
    tap = await PlainTap.start(lab, stage.unbound.plain);
  });

  async function start(): Promise<SottoService> {
    tap.names.length = 0;
    const service = await SottoService.start(lab, {
      upstreams: [upstream('far', 'dot', stage.unbound.tls, trusting(stage))],
      bypass: [],
    });
    onTestFinished(async () => void (await service.stop()));
    return service;
  }

  async function recommend(service: SottoService): Promise<void> {
    const bypass = { value: [{ suffix: garden, to: [text(tap.endpoint)] }] };
    await mkdir(join(service.home, 'policy.d'), { recursive: true });
    const listen = { value: [text(service.v4), text(service.v6)] };
    const policy = JSON.stringify({ name: 'Example Corp', settings: { bypass, listen } });
    await writeFile(join(service.home, 'policy.d', '10.json'), policy);
  }

  const issue = async (service: SottoService) =>
    (await service.status()).health.find(({ code }) => code === 'settings-vanished');

  const losses: Record<string, (file: string) => Promise<void>> = {
    removed: (file) => rm(file),
    'moved away': (file) => rename(file, `${file}.old`),
    truncated: (file) => truncate(file),
    'emptied of everything but braces': (file) => writeFile(file, '{}\n'),
    'written over by an empty one': async (file) => {
      await writeFile(`${file}.new`, '');
      await rename(`${file}.new`, file);
    },
    'left with nothing but a comment': (file) => writeFile(file, '{ // "bypass": []\n}\n'),
  };
  for (const [what, lose] of Object.entries(losses))
    it(`a file that is ${what} leaves its settings in force, also after a restart`, async () => {
      const service = await start();
      await recommend(service);
      await lose(join(service.home, 'settings.json'));
      await eventually('the person is told', () => issue(service));
      for (const number of [1, 2, 3, 4, 5])
        expect((await digInTime(service.v4, plant(number))).status).toBe('NOERROR');
      expect(tap.names).toEqual([]);
      await service.stop();
      await service.restart();
      await expect.poll(() => issue(service)).toMatchObject({ severity: 'warning' });
      for (const number of [6, 7, 8, 9, 10]) await dig(service.v4, plant(number));
      expect(tap.names).toEqual([]);
    });

  it('"restore" brings the file back as it was, and "accept" drops its settings', async () => {
    const service = await start();
    await recommend(service);
    const file = join(service.home, 'settings.json');
    await rm(file);
    await eventually('the person is told', () => issue(service));
    expect(await service.cli('config', 'restore')).toMatchObject({ code: 0 });
    expect(await issue(service)).toBeUndefined();
    expect((await service.cli('config', 'check', file)).code).toBe(0);
    expect(await service.cli('config', 'restore')).toMatchObject({ code: 1 });

    await writeFile(file, '{}');
    await eventually('the person is told again', () => issue(service));
    await dig(service.v4, plant(11));
    expect(tap.names).toEqual([]);
    expect(await service.cli('config', 'accept')).toMatchObject({ code: 0 });
    expect(await issue(service)).toBeUndefined();
    const settings = await service.json<{ settings: { key: string; source: object }[] }>(
      'config',
      'show',
    );
    expect(settings.settings.find(({ key }) => key === 'bypass')?.source).toMatchObject({
      layer: 'policy',
    });
  });

  it('a setting that is changed meanwhile drops none of the others', async () => {
    const service = await start();
    await recommend(service);
    await rm(join(service.home, 'settings.json'));
    await eventually('the person is told', () => issue(service));
    expect((await service.cli('config', 'set', 'cache.entries', '7')).code).toBe(0);
    expect(await issue(service)).toBeUndefined();
    await dig(service.v4, plant(12));
    expect(tap.names).toEqual([]);
  });

  it('a lock holds after its file or its folder is gone, across a restart, until the loss is accepted', async () => {
    const service = await start();
    const folder = join(service.home, 'policy.d');
    const locked = async () => {
      const { code, stderr } = await service.cli('config', 'set', 'downgrade', 'fallback');
      return code !== 0 && stderr.includes('Example Corp');
    };
    await mkdir(folder);
    const lock = { downgrade: { value: 'refuse', lock: true } };
    await writeFile(
      join(folder, '10.json'),
      JSON.stringify({ name: 'Example Corp', settings: lock }),
    );
    await eventually('it is locked', locked);
    await rm(folder, { recursive: true });
    await eventually('the person is told', () => issue(service));
    expect(await locked()).toBe(true);
    await service.stop();
    await service.restart();
    await expect.poll(() => issue(service)).toBeDefined();
    expect(await locked()).toBe(true);
    expect((await service.cli('config', 'accept')).code).toBe(0);
    expect(await locked()).toBe(false);
  });

  it('a folder that vanishes and comes back is read again', async () => {
    const service = await start();
    const file = join(service.home, 'policy.d', '10.json');
    await recommend(service);
    await rm(join(service.home, 'policy.d'), { recursive: true });
    await recommend(service);
    await writeFile(file, '{ "name": ');
    await eventually('the new file is looked at', async () => {
      return (await service.status()).health.some(({ code }) => code === 'policy-file-invalid');
    });
  });
});
