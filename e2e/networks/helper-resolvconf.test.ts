/** A record of our own with resolvconf, Debian's and openresolv: first while it is there, and without a trace afterwards. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { labForTest } from '../system/lab.ts';
import { describeInNetworks } from './available.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';
import { treeOf } from './unpacked.ts';

const servers = [{ address: '127.0.0.1', port: 53 }];
const theirs = 'nameserver 192.0.2.1\\nsearch corp.example\\n';

describeInNetworks(['resolvconf'], 'resolvconf', () => {
  it('names us first, and forgets us', async () => {
    const { machine, helper } = await install('resolvconf');
    await machine.shell(
      'mkdir -p /run/resolvconf/interface; touch /run/resolvconf/enable-updates; ln -sf /run/resolvconf /etc/resolvconf/run; ln -sf ../run/resolvconf/resolv.conf /etc/resolv.conf',
    );
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
  it('is not asked', async () => {
    const machine = await Machine.create(await labForTest(), 'resolvconf');
    const helper = await Helper.start(await labForTest(), machine);
    await overlaySbin(machine);
    await machine.shell('touch /usr/bin/resolvectl; ln -s ../bin/resolvectl /usr/sbin/resolvconf');
    expect(await helper.reply({ verb: 'take-resolvconf', servers })).toMatchObject({
      failed: { code: 'mechanism-missing' },
    });
  });
});

/** A hook of another package may fail, as unbound's does where unbound is not running. */
async function takeAndGiveBack(machine: Machine, helper: Helper): Promise<void> {
  await machine.shell(`printf '${theirs}' | /usr/sbin/resolvconf -a eth0 || :`);
  const before = await state(machine);
  expect(before).toContain('nameserver 192.0.2.1');
  const taken = { taken: { mechanism: 'resolvconf', link: null } };
  expect(await helper.ask({ verb: 'take-resolvconf', servers })).toEqual(taken);
  const first = /^nameserver .*$/m.exec(await machine.read('/etc/resolv.conf'));
  expect(first?.[0]).toBe('nameserver 127.0.0.1');
  await machine.shell(`printf 'nameserver 192.0.2.2\\n' | /usr/sbin/resolvconf -a eth0 || :`);
  expect(await machine.read('/etc/resolv.conf')).toMatch(/^nameserver 127.0.0.1$/m);
  await machine.shell(`printf '${theirs}' | /usr/sbin/resolvconf -a eth0 || :`);
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
  await overlaySbin(machine);
  const tree = treeOf(name);
  await machine.shell('cp -a "$1"/etc/. /etc; cp "$1"/sbin/resolvconf /usr/sbin', tree);
  for (const folder of ['lib/resolvconf', 'usr/share/resolvconf'])
    if (existsSync(join(tree, folder)))
      await machine.shell('mkdir -p "/$2"; cp -a "$1/$2/." "/$2"', tree, folder);
  return { machine, helper };
}

/** What is put into these folders stays in this machine. */
async function overlaySbin(machine: Machine): Promise<void> {
  await machine.shell(
    `for folder in /usr; do
       mkdir -p /run/over$folder /run/work$folder
       mount -t overlay overlay -o lowerdir=$folder,upperdir=/run/over$folder,workdir=/run/work$folder $folder
     done`,
  );
}

async function state(machine: Machine): Promise<string> {
  return await machine.shell(
    `cat /etc/resolv.conf; readlink /etc/resolv.conf || :; cd /run/resolvconf; find . -type f ! -name '*lock*' | sort | xargs grep -v '^#' || :`,
  );
}
