/**
 * A record of our own with resolvconf, Debian's and openresolv: it comes first while it exists, and leaves no trace afterwards.
 */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';
import { addRecord, installResolvconf, overlayUsr } from './resolvconf.ts';

const servers = [{ address: '127.0.0.1', port: 53 }];
const theirs = 'nameserver 192.0.2.1\nsearch corp.example';

describeInNetworks(['resolvconf'], 'resolvconf', () => {
  it('names us first, and forgets us', async () => {
    const { machine, helper } = await install('resolvconf');
    await takeAndGiveBack(machine, helper);
  });
});

describeInNetworks(['openresolv'], 'openresolv', () => {
  it('names us first, and forgets us', async () => {
    const { machine, helper } = await install('openresolv');
    await takeAndGiveBack(machine, helper);
  });
});

describeInNetworks(['systemd-resolved'], 'resolvectl under the name of resolvconf', () => {
  it('is not used', async () => {
    const machine = await Machine.create(await labForTest(), 'resolvconf');
    const helper = await Helper.start(await labForTest(), machine);
    await overlayUsr(machine);
    await machine.shell('touch /usr/bin/resolvectl; ln -s ../bin/resolvectl /usr/sbin/resolvconf');
    expect(await helper.reply({ verb: 'take-resolvconf', servers })).toMatchObject({
      failed: { code: 'mechanism-missing' },
    });
  });
});

async function takeAndGiveBack(machine: Machine, helper: Helper): Promise<void> {
  await addRecord(machine, 'eth0', theirs);
  const before = await state(machine);
  expect(before).toContain('nameserver 192.0.2.1');
  const taken = { taken: { mechanism: 'resolvconf', link: null } };
  expect(await helper.ask({ verb: 'take-resolvconf', servers })).toEqual(taken);
  const first = /^nameserver .*$/m.exec(await machine.read('/etc/resolv.conf'));
  expect(first?.[0]).toBe('nameserver 127.0.0.1');
  await addRecord(machine, 'eth0', 'nameserver 192.0.2.2');
  expect(await machine.read('/etc/resolv.conf')).toMatch(/^nameserver 127.0.0.1$/m);
  await addRecord(machine, 'eth0', theirs);
  expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: true }] });
  await helper.restart();
  expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
    given: [{ mechanism: 'resolvconf', outcome: 'restored' }],
  });
  expect(await state(machine)).toBe(before);
}

async function install(name: 'resolvconf' | 'openresolv') {
  const lab = await labForTest();
  const machine = await Machine.create(lab, name);
  const helper = await Helper.start(lab, machine);
  await installResolvconf(machine, name);
  return { machine, helper };
}

async function state(machine: Machine): Promise<string> {
  return await machine.shell(
    `cat /etc/resolv.conf; readlink /etc/resolv.conf || :; cd /run/resolvconf; find . -type f ! -name '*lock*' | sort | xargs grep -v '^#' || :`,
  );
}
