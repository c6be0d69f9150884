/**
 * A version that takes the system's DNS, and whose rules for internal names wait: until they hold, this machine's programs ask as
 * before, and no internal name goes to an upstream. With the real service, helper and systemd-resolved.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { Standstill } from '../rig/standstill.ts';
import { Helper } from './helper.ts';
import { gateway, internalDns, internalZone } from './local-network.ts';
import { NetworkStage } from './network-stage.ts';
import { Resolved, resolvectl } from './resolved.ts';

/** A call to resolved has two seconds; without a response, the rules end all the same. */
const tolerableMs = 500;

describeInNetworks(
  ['sotto', 'systemd-resolved', 'busctl'],
  'a profile that says where names go',
  () => {
    it("takes the system's DNS with its rules, and gives it back before they end", async (context) => {
      const lab = await labForTest();
      const stage = await NetworkStage.open(lab);
      await stage.client.startBus();
      await Resolved.start(lab, stage.client);
      await stage.client.succeed(resolvectl, 'dns', 'eth0', gateway.v4);
      await Helper.start(lab, stage.client);
      const settings = {
        upstreams: stage.internet.upstreams.slice(0, 1),
        listen: ['127.0.0.1:5300'],
        portal: { detect: false },
      };
      const sotto = await SottoService.start(lab, settings, 5300, { on: stage.client });
      const inHome = (name: string) => join(sotto.home, name);
      const profile = (...words: string[]) => sotto.cli('profile', ...words);
      const isTaken = async () => (await sotto.status()).systemDns?.taken === true;
      const internal = async (name: string) =>
        void (await stage.client.run('getent', ['ahostsv4', `${name}.${internalZone}`]));
      const toUpstreams = async () => {
        const { stdout } = await sotto.cli('log', internalZone, '--json');
        const queries = stdout.split('\n').filter(Boolean);
        return queries
          .map((line) => JSON.parse(line) as { name: string; upstream: string | null })
          .filter(({ upstream }) => upstream === settings.upstreams[0]?.id)
          .map(({ name }) => name);
      };

      await profile('keygen', inHome('corp'), '--no-password');
      const facts = { id: 'example-corp', serial: 1, issuer: 'Example Corp', name: 'Laptops' };
      const wanted = {
        'systemDns.take': { value: true, lock: 'locked' },
        bypass: { value: [{ suffix: internalZone, to: [internalDns] }], lock: 'locked' },
      };
      await writeFile(inHome('corp.json'), JSON.stringify({ ...facts, settings: wanted }));
      await profile('sign', inHome('corp.json'), '--key', inHome('corp.key'));
      const key = ['--key', inHome('corp.pub')];
      const verified = await profile('verify', inHome('corp.json'), ...key, '--json');
      const { fingerprint } = JSON.parse(verified.stdout) as { fingerprint: string };
      const enrol = (...more: string[]) =>
        profile('enrol', inHome('corp.json'), ...key, '--fingerprint', fingerprint, ...more);

      const required = await enrol('--require');
      expect([required.code, required.stderr]).toEqual([
        1,
        expect.stringContaining('--allow bypass'),
      ]);
      const enrolled = await enrol();
      expect([enrolled.code, enrolled.stdout]).toEqual([
        1,
        expect.stringContaining('"bypass" has to hold first'),
      ]);
      await internal('waiting');
      expect(await isTaken()).toBe(false);

      expect((await profile('approve', '1')).code).toBe(0);
      await eventually('taken', isTaken);
      await eventually('the rule answers', async () => {
        await internal('approved');
        return stage.network.internalResolver.heard.includes(`approved.${internalZone}`);
      });

      let leaves = true;
      const standstill = new Standstill();
      const left = profile('leave').finally(() => {
        leaves = false;
      });
      for (let n = 0; leaves; n += 1) await internal(`leaving${n}`);
      expect((await left).code).toBe(0);
      await expect.poll(isTaken).toBe(false);
      const wentAstray = await toUpstreams();
      if (wentAstray.length > 0 && standstill.end().longestMs > tolerableMs)
        return context.skip('the machine stood still while resolved had two seconds to respond');
      expect(wentAstray).toEqual([]);
    });
  },
);
