/**
 * The playbook of docs/admin with a profile of which a part waits for a grant: no run of it goes on to the policy that leads programs to
 * Sotto, nor one on a machine that was enrolled otherwise. On booted machines: e2e/packages/admin-pages.test.ts.
 */
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot, nodeFlags } from '../../build/places.mjs';
import { commandLine, describeWith, locate } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { run } from '../rig/process.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { openStage, trusting, upstream } from './stage.ts';

describeWith(['sotto', 'nsd', 'unbound', 'openssl', 'ansible-playbook'], 'the playbook', () => {
  it('stops before the policy where not all of the profile holds', async () => {
    const lab = await labForTest();
    const stage = await openStage(lab);
    const own = upstream('own', 'dot', stage.unbound.tls, trusting(stage));
    const service = await SottoService.start(lab, { upstreams: [own] });
    const inHome = (name: string) => join(service.home, name);
    const source = inHome('corp.json');
    const settings = { bypass: { value: [{ suffix: 'corp.example', to: ['192.0.2.53'] }] } };
    const facts = { id: 'example-corp', serial: 1, issuer: 'Example Corp', name: 'Laptops' };
    await writeFile(source, JSON.stringify({ ...facts, settings }));
    await service.cli('profile', 'keygen', source, '--no-password');
    await service.cli('profile', 'sign', source, '--key', `${source}.key`);
    const key = ['--key', `${source}.pub`];
    const { fingerprint } = await service.json<{ fingerprint: string }>(
      ...['profile', 'verify', source, ...key],
    );
    const sotto = inHome('sotto');
    const words = [process.execPath, ...nodeFlags, commandLine].map((word) => `'${word}'`);
    await writeFile(
      sotto,
      `#!/bin/sh\nSOTTO_HOME='${service.home}' exec ${words.join(' ')} "$@"\n`,
    );
    await chmod(sotto, 0o755);
    const policies = inHome('policies-of-it');
    const policy = join(policies, '50-it.json');
    const inventory = inHome('inventory.ini');
    await writeFile(inventory, '[laptops]\nlaptop-1\n');
    const variables = {
      ansible_connection: 'local',
      ansible_become: false,
      sotto_command: sotto,
      sotto_profile: `file://${source}`,
      sotto_fingerprint: fingerprint,
      sotto_policy_folder: policies,
    };
    const play = () =>
      run(
        locate('ansible-playbook'),
        [
          ...['--inventory', inventory, '--skip-tags', 'package'],
          ...['--extra-vars', JSON.stringify(variables)],
          inRoot('docs/admin/ansible/sotto.yml'),
        ],
        {
          env: { ANSIBLE_HOME: inHome('ansible'), ANSIBLE_NOCOLOR: '1', LC_ALL: 'C.UTF-8' },
          timeoutMs: 300_000,
        },
      );
    const stops = async (telling: RegExp) => {
      const { code, stdout } = await play();
      expect(stdout).toMatch(telling);
      expect([code === 0, existsSync(policy)], stdout).toEqual([false, false]);
    };
    await stops(/Enrol the machine.*--allow bypass/s);
    // Somebody enrolled it by hand, without "--require".
    const byHand = ['--fingerprint', fingerprint];
    expect((await service.cli('profile', 'enrol', `file://${source}`, ...byHand)).code).toBe(0);
    await stops(/Stop where not all of the profile holds.*waits {4}bypass/s);
    await service.cli('profile', 'approve', '1');
    expect((await service.cli('profile', 'status', '--require')).code).toBe(0);
  });
});
