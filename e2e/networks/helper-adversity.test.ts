/** Difficulties for the helper: a missing file, something else in its place, and a full disk. */
import { expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';

const path = '/etc/resolv.conf';
const servers = [{ address: '127.0.0.1', port: 53 }];
const theirs = '/run/their.conf';
const state = '/var/lib/sotto-helper';
const policy = '/run/guardian.json';

describeInNetworks([], 'the helper in adversity', () => {
  it.each([
    ['a pipe that nobody writes to', 'rm "$1"; mkfifo "$1"'],
    ['a file without an end', 'ln -sf /dev/zero "$1"'],
    ['a folder', 'rm "$1"; mkdir "$1"'],
  ])('replies where /etc/resolv.conf leads to %s', async (_, script) => {
    const { machine, helper } = await open('ln -s /run/their.conf /etc/resolv.conf');
    await machine.shell(script, theirs);
    await helper.ask({ verb: 'take-file', servers });
    expect(await machine.read(path)).toContain('nameserver 127.0.0.1');
    expect(await helper.ask({ verb: 'status' })).toMatchObject({
      held: [{ inPlace: true, before: { servers: [], search: [] } }],
    });
    expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
      given: [{ outcome: 'restored' }],
    });
    expect(await machine.shell('readlink "$1"', path)).toBe(`${theirs}\n`);
  });

  it.each([
    ['a pipe that nobody writes to', 'mkfifo "$1"'],
    ['a link to a word of its own', 'ln -s "$1.genuine" "$1"'],
    ['a link to a file without an end', 'ln -s /dev/zero "$1"'],
    ['a device', 'mknod "$1" c 1 5'],
    ['a folder', 'mkdir "$1"'],
    ['a file without an end', 'truncate -s 1T "$1"'],
    ['a second name of a word', 'ln "$1.genuine" "$1"'],
    ['a word of somebody else', 'cp "$1.genuine" "$1"; chown 12 "$1"'],
  ])('ignores a policy that is %s, and goes on', async (_, script) => {
    const { machine, helper } = await open('echo "nameserver 192.0.2.1" > /etc/resolv.conf');
    await machine.write(`${policy}.genuine`, '{"policy":"warn","locked":false,"taken":true}');
    await machine.shell(script, policy);
    const gone = await helper.hold();
    await helper.ask({ verb: 'take-file', servers });
    await gone();
    await eventually('it is said', () => helper.transcript().includes('policy keeps it'));
    expect(helper.transcript()).toContain('not believed');
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: true }] });
  });

  it('gives back on a full disk, and has nothing left to give back', async () => {
    const { machine, helper } = await open('echo "nameserver 192.0.2.1" > /etc/resolv.conf');
    await helper.ask({ verb: 'take-file', servers });
    await machine.shell('cat /dev/zero > "$1/filling" || :', state);
    const full = await machine.run('sh', ['-c', `echo more > ${state}/more`]);
    expect(full).toMatchObject({ stderr: expect.stringMatching(/error|No space/) });
    expect(await helper.reply({ verb: 'take-file', servers })).toMatchObject({
      failed: { code: 'journal-failed' },
    });
    expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
      given: [{ mechanism: 'file', outcome: 'restored' }],
      kept: [],
    });
    expect(await machine.read(path)).toBe('nameserver 192.0.2.1\n');
    expect(await helper.ask({ verb: 'status' })).toEqual({ held: [] });
  });

  it('gives back what is left after a reboot, also with a full disk', async () => {
    const { machine, helper } = await open('echo "nameserver 192.0.2.1" > /etc/resolv.conf');
    await helper.ask({ verb: 'take-file', servers });
    await helper.kill();
    const journal = `${state}/journal.json`;
    const [file] = JSON.parse(await machine.read(journal)).entries;
    const entries = [
      { ...file, boot: 'another', undo: 'resolvconf' },
      { ...file, boot: 'another' },
    ];
    await machine.write(journal, JSON.stringify({ format: 1, entries }));
    await machine.shell('cat /dev/zero > "$1/filling" || :', state);
    const atBoot = ['keep-over-boot', '--while-enabled', 'sotto.service'];
    expect(await helper.command(0, ...atBoot)).toMatchObject({ code: 0 });
    expect(await machine.read(path)).toBe('nameserver 192.0.2.1\n');
  });
});

/** A helper whose journal has a small disk of its own. */
async function open(script: string) {
  const lab = await labForTest();
  const machine = await Machine.create(lab, 'adversity');
  await machine.shell(`rm -f ${path}; : > ${theirs}; ${script}`);
  const helper = await Helper.start(lab, machine, '--policy', policy);
  await helper.kill();
  await machine.shell('mkdir -p "$1"; mount -t tmpfs -o size=64k,mode=700 tmpfs "$1"', state);
  await helper.start();
  return { machine, helper };
}
