/** "sotto fix docker" where systemd is process 1: the unit that listens on bridges runs in its sandbox, and goes with the undo. */
import { expect, it } from 'vitest';
import type { HelperRequest } from '../../app/contract/system/helper-protocol.ts';
import { describeWith } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { askHelper } from './ask-helper.ts';
import { boot, whyNoSystemd } from './booted-computer.ts';
import { sources } from './install-target.ts';

const unit = 'sotto-bridges.service';
const daemonFile = '/etc/docker/daemon.json';
const theirs = '{\n  "log-driver": "journald"\n}\n';
const node = `${sources}/node_modules/node/bin/node`;

const reason = whyNoSystemd();
if (reason !== null) it('the fix of Docker', (context) => context.skip(reason));
else
  describeWith(['dbus-daemon', 'busctl'], 'the fix of Docker', () => {
    it('starts the unit, and leaves neither unit nor key after the undo', async () => {
      const machine = await boot(await labForTest(), '', '192.0.2.53/32');
      await machine.write(daemonFile, theirs);
      await machine.succeed([
        '/bin/sh',
        '-ec',
        `mkdir -p /usr/lib/sotto/bin
         cp ${sources}/target/release/sotto-helper /usr/lib/sotto/bin/
         cp ${sources}/build/system/${unit} ${sources}/build/system/sotto-helper.s* /usr/lib/systemd/system/
         sed -i 's/--for sotto/--for 0/' /usr/lib/systemd/system/sotto-helper.service
         ip link add docker0 type bridge
         ip address add 172.17.0.1/16 dev docker0
         ip link set docker0 up
         systemctl daemon-reload
         systemctl start dbus.service sotto-helper.socket`,
      ]);
      const ask = (request: HelperRequest) => askHelper(machine, request, 'root', node);
      const shown = async (...words: string[]) => (await machine.run(words)).stdout.trim();
      await eventually('systemd is on the bus', async () =>
        (await shown('busctl', 'list', '--acquired')).includes('org.freedesktop.systemd1'),
      );

      expect(await ask({ verb: 'fix', fix: 'docker' })).toMatchObject({
        ok: { fixed: { files: [{ file: daemonFile, before: theirs }] } },
      });
      expect(JSON.parse(await shown('cat', daemonFile))).toEqual({
        'log-driver': 'journald',
        dns: ['172.17.0.1'],
      });
      expect(await shown('systemctl', 'is-enabled', unit)).toBe('enabled');
      await eventually('it listens', async () =>
        (await shown('ss', '-Hlnu')).includes('172.17.0.1%docker0:53'),
      );
      const process = await shown('systemctl', 'show', '-P', 'MainPID', unit);
      const capabilities = await shown('grep', 'CapEff', `/proc/${process}/status`);
      expect(capabilities).toMatch(/0000000000000400$/);

      expect(await ask({ verb: 'undo-fix', fix: 'docker' })).toMatchObject({
        ok: { undone: [{ files: [{ outcome: 'restored' }] }] },
      });
      expect(await shown('cat', daemonFile)).toBe(theirs.trim());
      expect(await shown('systemctl', 'is-enabled', unit)).toBe('disabled');
      await eventually('nothing listens', async () => !(await shown('ss', '-Hlnu')).includes('%'));

      await machine.write(daemonFile, '{"dns":["172.17.0.1"]}');
      expect(await ask({ verb: 'fix', fix: 'docker' })).toMatchObject({
        ok: { fixed: { files: [] } },
      });
      await expect.poll(() => shown('systemctl', 'is-active', unit)).toBe('active');
      await ask({ verb: 'undo-fix', fix: 'docker' });
      expect(await shown('systemctl', 'is-enabled', unit)).toBe('disabled');
      expect(await shown('cat', daemonFile)).toBe('{"dns":["172.17.0.1"]}');
    });
  });
