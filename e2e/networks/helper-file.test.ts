/**
 * /etc/resolv.conf in each form that it can have is taken, used, and given back as it was: content, kind, inode, mode, owner,
 * time.
 */
import { describe, expect, it } from 'vitest';
import { describeInNetworks } from '../rig/available.ts';
import { type Lab, labForTest } from '../rig/lab.ts';
import { Helper, journalFile } from './helper.ts';
import { Machine } from './machine.ts';

const path = '/etc/resolv.conf';
const text = '# the network\nnameserver 192.0.2.1\nsearch corp.example\noptions ndots:2\n';
const servers = [{ address: '127.0.0.1', port: 53 }];
const ours = ['nameserver 127.0.0.1', 'search corp.example', 'options ndots:2'];

const shapes: Record<string, string> = {
  'a file': 'printf "$1" > /etc/resolv.conf; touch -d "2020-01-02 03:04:05.678" /etc/resolv.conf',
  'a file of somebody else’s, with a mode of its own':
    'printf "$1" > /etc/resolv.conf; chown 12:34 /etc/resolv.conf; chmod 640 /etc/resolv.conf',
  'a symbolic link, relative':
    'printf "$1" > /run/their.conf; ln -sf ../run/their.conf /etc/resolv.conf',
  'a symbolic link, absolute':
    'printf "$1" > /run/their.conf; chmod 600 /run/their.conf; ln -sf /run/their.conf /etc/resolv.conf',
  'a symbolic link to a symbolic link':
    'printf "$1" > /run/far.conf; ln -s far.conf /run/their.conf; ln -sf /run/their.conf /etc/resolv.conf',
  'a symbolic link to nothing': 'ln -sf /run/nothing.conf /etc/resolv.conf',
  'not there': 'rm /etc/resolv.conf',
  empty: ': > /etc/resolv.conf',
  'a file that is mounted, as in a container':
    'printf "$1" > /run/their.conf; mount --bind /run/their.conf /etc/resolv.conf',
  'a mounted file that is longer than ours':
    'printf "$1" > /run/their.conf; seq -f "# line %g" 500 >> /run/their.conf; mount --bind /run/their.conf /etc/resolv.conf',
  'a mounted file in a folder that can’t be written':
    'printf "$1" > /run/their.conf; mount --bind /run/their.conf /etc/resolv.conf; mount --bind /etc /etc; mount -o remount,bind,ro /etc; mount --bind /run/their.conf /etc/resolv.conf',
};

const refusing: Record<string, [script: string, code: string]> = {
  'a file that is mounted read-only': [
    'printf "$1" > /run/their.conf; mount --bind /run/their.conf /etc/resolv.conf; mount -o remount,bind,ro /etc/resolv.conf',
    'read-only',
  ],
  'a folder that is mounted read-only': [
    'printf "$1" > /etc/resolv.conf; mount --bind /etc /etc; mount -o remount,bind,ro /etc',
    'read-only',
  ],
  'a symbolic link in a folder that is mounted read-only': [
    'printf "$1" > /run/their.conf; ln -sf /run/their.conf /etc/resolv.conf; mount --bind /etc /etc; mount -o remount,bind,ro /etc',
    'read-only',
  ],
  'a folder in its place': ['rm /etc/resolv.conf; mkdir /etc/resolv.conf', 'not-a-file'],
  'a file too long for one': [
    'head -c 70000 /dev/zero | tr "\\\\0" "#" > /etc/resolv.conf',
    'not-a-file',
  ],
};

describeInNetworks([], '/etc/resolv.conf', () => {
  it.each(Object.entries(shapes))('that is %s is the same afterwards', async (_, script) => {
    const { machine, helper } = await open(await labForTest(), script);
    const before = await state(machine);
    expect(await helper.ask({ verb: 'take-file', servers })).toEqual({
      taken: { mechanism: 'file', link: null },
    });
    const taken = await machine.read(path);
    expect(taken.split('\n').slice(1, 2)).toEqual(ours.slice(0, 1));
    if (before.includes('corp.example')) for (const line of ours) expect(taken).toContain(line);
    expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: true }] });
    expect(await helper.ask({ verb: 'give-back' })).toEqual({
      given: [{ mechanism: 'file', link: null, outcome: 'restored' }],
      kept: [],
    });
    expect(await state(machine)).toBe(before);
    expect(await leftovers(machine)).toBe('');
  });

  it.each(Object.entries(refusing))('that is %s is not touched', async (_, [script, code]) => {
    const { machine, helper } = await open(await labForTest(), script);
    const before = await state(machine);
    const reply = await helper.reply({ verb: 'take-file', servers });
    expect(reply).toMatchObject({ failed: { code, remedy: expect.stringMatching(/.+/) } });
    expect(await state(machine)).toBe(before);
    expect(await helper.ask({ verb: 'status' })).toEqual({ held: [] });
    expect(await leftovers(machine)).toBe('');
  });

  it('that is immutable is not touched', async (context) => {
    const { machine, helper } = await open(await labForTest(), 'printf "$1" > /etc/resolv.conf');
    const { code, stderr } = await machine.run('chattr', ['+i', path]);
    if (code !== 0) context.skip(`no file can be made immutable here: ${stderr.trim()}`);
    const before = await state(machine);
    const reply = await helper.reply({ verb: 'take-file', servers });
    expect(reply).toMatchObject({ failed: { code: 'read-only' } });
    expect(await state(machine)).toBe(before);
    await machine.shell('chattr -i /etc/resolv.conf');
  });

  describe('once taken', () => {
    it('is left alone where another program wrote it since', async () => {
      const { machine, helper } = await taken(await labForTest());
      await machine.shell('printf "nameserver 192.0.2.7\\n" > /etc/next; mv /etc/next "$1"', path);
      const theirs = await state(machine);
      expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: false }] });
      expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
        given: [{ outcome: 'changed-since' }],
      });
      expect(await state(machine)).toBe(theirs);
      expect(await leftovers(machine)).toBe('');
    });

    it('is given back also where another program added a line to ours', async () => {
      const { machine, helper, before } = await taken(await labForTest());
      await machine.shell('echo "options timeout:1" >> "$1"', path);
      expect(await helper.ask({ verb: 'give-back' })).toMatchObject({
        given: [{ outcome: 'restored' }],
      });
      expect(await state(machine)).toBe(before);
    });

    it('is given back complete where a program was still writing it when it was taken', async () => {
      const { machine, helper } = await open(await labForTest(), shapes['a file'] as string);
      const writer = `exec 3> "$1"; echo begun; until test -e /run/go; do sleep 0.01; done; printf '${text.replaceAll('\n', '\\n')}' >&3`;
      const writing = await machine.start('/bin/sh', ['-c', writer, 'sh', path]);
      await writing.ready(async () => writing.stdout === 'begun\n');
      await helper.ask({ verb: 'take-file', servers });
      await machine.shell('touch /run/go');
      await writing.exited;
      expect(await helper.ask({ verb: 'status' })).toMatchObject({
        held: [{ inPlace: true, before: { servers: [{ address: '192.0.2.1' }] } }],
      });
      await helper.ask({ verb: 'give-back' });
      expect(await machine.read(path)).toBe(text);
      expect(await leftovers(machine)).toBe('');
    });

    it('is given back from the journal where the file of before is gone', async () => {
      const { machine, helper, before } = await taken(await labForTest());
      await machine.shell('rm /etc/resolv.conf.before-sotto');
      await helper.ask({ verb: 'give-back' });
      const withoutInode = (all: string) => all.replaceAll(/inode \d+/g, '');
      expect(withoutInode(await state(machine))).toBe(withoutInode(before));
    });

    it('is given back from the file of before where the journal is gone', async () => {
      const { machine, helper, before } = await taken(await labForTest());
      await machine.shell('rm "$1"', journalFile);
      await helper.ask({ verb: 'take-file', servers });
      await helper.ask({ verb: 'give-back' });
      expect(await state(machine)).toBe(before);
    });

    it('stays taken at a boot in which the service starts, and is given back in one without', async () => {
      const { machine, helper, before } = await taken(await labForTest());
      await machine.shell(`sed -i 's/"boot":"[^"]*"/"boot":"another"/' "$1"`, journalFile);
      const atBoot = ['keep-over-boot', '--while-enabled', 'sotto.service'];
      const wants = '/etc/systemd/system/multi-user.target.wants';
      await machine.shell('mkdir -p "$1"; ln -s /x/sotto.service "$1"', wants);
      expect(await helper.command(0, ...atBoot)).toMatchObject({ code: 0 });
      expect(await helper.ask({ verb: 'status' })).toMatchObject({ held: [{ inPlace: true }] });
      await machine.shell('rm "$1"/sotto.service', wants);
      expect(await helper.command(0, ...atBoot)).toMatchObject({ code: 0 });
      expect(await state(machine)).toBe(before);
      expect(await leftovers(machine)).toBe('');
    });
  });
});

async function open(lab: Lab, script: string) {
  const machine = await Machine.create(lab, 'file');
  await machine.shell(`${script.replaceAll('"$1"', `'${text.replaceAll('\n', '\\n')}'`)}`);
  return { machine, helper: await Helper.start(lab, machine) };
}

async function taken(lab: Lab) {
  const { machine, helper } = await open(lab, shapes['a file'] as string);
  const before = await state(machine);
  await helper.ask({ verb: 'take-file', servers });
  return { machine, helper, before };
}

/** All its properties, and those of the file to which it leads. */
async function state(machine: Machine): Promise<string> {
  return await machine.shell(
    `for flags in "" -L; do stat $flags -c "%n %F mode %a owner %u:%g inode %i changed %y %s" "$1" 2>&1 || :; done
     readlink "$1" || :
     cat "$1" 2>&1 || :`,
    path,
  );
}

async function leftovers(machine: Machine): Promise<string> {
  return await machine.shell('ls -d /etc/resolv.conf.* "$1" 2>/dev/null || :', journalFile);
}
