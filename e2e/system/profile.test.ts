/**
 * A profile from the key to the wire: made, signed and taken by the real commands, its upstream asked by real programs, and what it
 * locks held through deaths of the service.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../rig/available.ts';
import { dig } from '../rig/dig.ts';
import { eventually } from '../rig/eventually.ts';
import { labForFile } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { plant, plantAddress } from '../rig/zones/garden.ts';
import { openStage, type Stage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'dig'], 'a profile', () => {
  const lab = labForFile();
  let stage: Stage;
  let service: SottoService;
  beforeAll(async () => {
    stage = await openStage(lab);
  });

  beforeEach(async () => {
    service = await SottoService.start(lab, {
      upstreams: [upstream('own', 'dot', { address: '127.0.0.1', port: 9 }, trusting(stage))],
      downgrade: 'fallback',
    });
    await done('keygen', inHome('corp'), '--no-password');
    return async () => void (await service.stop());
  });

  const inHome = (name: string) => join(service.home, name);
  const profile = (...words: string[]) => service.cli('profile', ...words);

  async function done(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await profile(...words);
    expect(stderr, words.join(' ')).toBe('');
    expect(code).toBe(0);
    return stdout;
  }

  /** Signed, in a file of its own. */
  async function version(serial: number, settings: object): Promise<string> {
    const file = inHome(`corp-${serial}.json`);
    const facts = { id: 'example-corp', serial, issuer: 'Example Corp', name: 'Laptops' };
    await writeFile(file, JSON.stringify({ ...facts, settings }));
    await done('sign', file, '--key', inHome('corp.key'));
    return file;
  }

  async function enrol(file: string, ...allow: string[]): Promise<string> {
    const { fingerprint } = JSON.parse(
      await done('verify', file, '--key', inHome('corp.pub'), '--json'),
    ) as { fingerprint: string };
    const words = ['--key', inHome('corp.pub'), '--fingerprint', fingerprint];
    return await done('enrol', file, ...words, ...allow);
  }

  const locked = () => ({
    upstreams: {
      value: [upstream('corp', 'dot', stage.unbound.tls, trusting(stage))],
      lock: 'locked',
    },
    downgrade: { value: 'refuse', lock: 'locked', reason: 'names stay private' },
  });

  it('brings its upstream, whose certificate authority was allowed, and its locks', async () => {
    const waiting = await enrol(await version(1, locked()));
    expect(waiting).toMatch(
      /waits {4}upstreams: it wants .* holds: it would loosen protection \("authorities"\)/,
    );
    expect((await service.status()).upstreams.map(({ id }) => id)).toEqual(['own']);
    await done('approve', '1');
    await eventually('the upstream of the profile answers', async () => {
      const { status, answers } = await dig(service.v4, plant(1));
      return status === 'NOERROR' && answers[0] === `A ${plantAddress(1)}`;
    });
    await expect
      .poll(() => service.logged(plant(1)))
      .toMatchObject({ upstream: 'corp', transport: 'dot' });
    const refused = await service.cli('config', 'set', 'downgrade', 'warn');
    expect(refused.stderr).toContain('locked by Example Corp');
    expect(await done('effective', 'downgrade')).toMatch(
      /→ profile "Example Corp" \S+, locked: names stay private {2}"refuse"\n {4}user .*"fallback"\n/,
    );
    await done('leave');
    expect((await service.status()).upstreams.map(({ id }) => id)).toEqual(['own']);
  });

  it('holds through deaths of the service around each update, and no old version comes back', async () => {
    await enrol(await version(1, locked()), '--allow', 'authorities');
    for (let serial = 2; serial < 8; serial += 1) {
      const file = await version(serial, { ...locked(), 'cache.entries': { value: serial } });
      const updating = profile('update', file);
      // From before the update to after its reply: the service dies at another step each time.
      if (serial % 3 === 0) await updating;
      await service.kill();
      await updating.catch(() => null);
      await service.restart();
      const { locks, serial: taken, entries } = await held();
      expect(locks).toEqual(['downgrade', 'upstreams']);
      expect([serial - 1, serial]).toContain(taken);
      if (taken > 1) expect(entries, 'the version is in force as a whole').toBe(taken);
      await done('update', file);
      expect((await held()).serial).toBe(serial);
      const old = await profile('update', inHome(`corp-${serial - 1}.json`));
      expect([old.code, old.stderr]).toEqual([2, expect.stringContaining('does not come after')]);
    }
    await eventually('names go to its upstream', async () => {
      const { status } = await dig(service.v4, plant(2));
      return status === 'NOERROR';
    });
  });

  async function held() {
    const shown = JSON.parse(await done('status', '--json')) as { profile: { serial: number } };
    const { settings } = await service.json<{
      settings: { key: string; value: unknown; locked: boolean }[];
    }>('config', 'show');
    return {
      serial: shown.profile.serial,
      locks: settings
        .filter((one) => one.locked)
        .map(({ key }) => key)
        .sort(),
      entries: settings.find(({ key }) => key === 'cache.entries')?.value,
    };
  }
});
