/** The helper fixes settings of other programs: through deaths at each step, on a full disk, and beside a real NetworkManager. */
import { expect, it } from 'vitest';
import { helper as helperProgram } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper } from './helper.ts';
import { Machine } from './machine.ts';
import { NetworkManager } from './network-manager.ts';
import { NetworkStage } from './network-stage.ts';

const file = '/etc/firefox/policies/policies.json';
const theirs = '{\n  "policies": {\n    "Homepage": { "URL": "https://example.net/" }\n  }\n}\n';
const record = '/var/lib/sotto-helper/fixes.json';
const servers = [{ address: '127.0.0.1', port: 53 }];
const mostSteps = 20;

describeInNetworks([], 'a fix of a browser', () => {
  it('is undone exactly after a death at any step', async () => {
    const machine = await Machine.create(await labForTest(), 'fixes');
    const root = '/run/prefix';
    const undoAll = async (step: number) => {
      await machine.write(`${root}/die-at-step`, `${step}`);
      return (await (await machine.start(helperProgram, ['undo-fixes', '--root', root])).exited)
        .code;
    };
    const shown = async () =>
      await machine.shell(`cd ${root}/etc; find . | sort; cat .${file.slice(4)}`);
    let deaths = 0;
    for (let step = 1; step <= mostSteps; step++) {
      await machine.shell(`rm -rf ${root}; mkdir -p ${root}/run`);
      await machine.write(`${root}${file}`, theirs);
      const before = await shown();
      const hasDied = await dieFixing(machine, root, step);
      expect(await undoAll(0)).toBe(0);
      expect([step, await shown()]).toEqual([step, before]);
      expect(await machine.run('test', ['-e', `${root}${record}`])).toMatchObject({ code: 1 });

      await dieFixing(machine, root, 0);
      expect(await shown()).toContain('DNSOverHTTPS');
      const code = await undoAll(step);
      expect(await undoAll(0)).toBe(0);
      expect([step, await shown()]).toEqual([step, before]);
      if (!hasDied && code === 0) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(3);
    expect(deaths).toBeLessThan(mostSteps);
  });

  it.each([
    ['for its record', '/var/lib/sotto-helper', 'journal-failed'],
    ['for the file', '/etc/firefox', 'read-only'],
  ])('leaves everything as it was without room %s', async (_, full, code) => {
    const { machine, helper } = await open();
    await machine.shell(
      `mkdir -p "$1"; mount -t tmpfs -o size=8k,mode=755 tmpfs "$1"; mkdir -p /etc/firefox/policies
       cat /dev/zero > "$1/filling" 2>/dev/null || :`,
      full,
    );
    expect(await helper.reply({ verb: 'fix', fix: 'firefox' })).toMatchObject({ failed: { code } });
    expect(await machine.shell('ls -A /etc/firefox/policies')).toBe('');
    await machine.shell('rm "$1/filling"', full);
    const { fixes } = (await helper.ask({ verb: 'fixes' })) as { fixes: { since: unknown }[] };
    expect(fixes.map(({ since }) => since)).toEqual(fixes.map(() => null));
    expect(await helper.ask({ verb: 'fix', fix: 'firefox' })).toMatchObject({
      fixed: { files: [{ file, before: null }] },
    });
  });

  it('is written once where two ask at once, and shown without being written', async () => {
    const { machine, helper } = await open();
    await machine.write(file, theirs);
    expect(await helper.ask({ verb: 'fix', fix: 'firefox', dry: true })).toMatchObject({
      fixed: {
        files: [{ file, before: theirs, after: expect.stringContaining('"Locked": true') }],
      },
    });
    expect(await machine.read(file)).toBe(theirs);
    const both = [1, 2].map(() => helper.ask({ verb: 'fix', fix: 'firefox' }));
    expect(
      (await Promise.all(both))
        .map((done) => ('fixed' in done ? done.fixed.files.length : -1))
        .sort(),
    ).toEqual([0, 1]);
    expect(await helper.command(0, 'undo-fixes')).toMatchObject({ code: 0 });
    expect(await machine.read(file)).toBe(theirs);
  });

  it('is nothing that another user can ask for, or undo', async () => {
    const { machine, helper } = await open();
    expect(await helper.command(1234, 'undo-fixes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('only root'),
    });
    await machine.shell('mkdir -p /etc/chromium/policies; chown 1234 /etc/chromium/policies');
    expect(await helper.reply({ verb: 'fix', fix: 'chromium' })).toMatchObject({
      failed: { code: 'file-refused', message: expect.stringContaining('belongs to user 1234') },
    });
  });
});

describeInNetworks(['NetworkManager', 'nmcli'], 'a fix of NetworkManager', () => {
  it('holds while /etc/resolv.conf is held, and ends with it', async () => {
    const lab = await labForTest();
    const { client: machine } = await NetworkStage.open(lab, { addresses: 'none' });
    await machine.startBus();
    const manager = await NetworkManager.start(lab, machine, { dns: 'default' });
    await eventually('NetworkManager writes the file', async () =>
      (await machine.read('/etc/resolv.conf')).includes('nameserver'),
    );
    const helper = await Helper.start(lab, machine);
    expect(await helper.reply({ verb: 'fix', fix: 'network-manager' })).toMatchObject({
      failed: { code: 'not-applicable' },
    });
    await helper.ask({ verb: 'take-file', servers });
    await manager.nmcli('connection', 'up', 'wired');
    await eventually(
      'without it, NetworkManager overwrites the file',
      async () => !(await machine.read('/etc/resolv.conf')).includes('127.0.0.1'),
    );
    await helper.ask({ verb: 'take-file', servers });
    expect(await helper.ask({ verb: 'fix', fix: 'network-manager' })).toMatchObject({
      fixed: { files: [{ file: '/etc/NetworkManager/conf.d/zzz-sotto-fix.conf', before: null }] },
    });
    // NetworkManager may have written it once more before it read that
    await helper.ask({ verb: 'take-file', servers });
    await manager.nmcli('connection', 'up', 'wired');
    expect(await machine.read('/etc/resolv.conf')).toContain('nameserver 127.0.0.1');

    await helper.ask({ verb: 'give-back' });
    expect(await machine.shell('ls /etc/NetworkManager/conf.d')).not.toContain('sotto');
    await eventually('NetworkManager writes the file again', async () => {
      await manager.nmcli('connection', 'up', 'wired');
      const text = await machine.read('/etc/resolv.conf');
      return text.includes('NetworkManager') && !text.includes('127.0.0.1');
    });
  });
});

/** Fixes Firefox by a helper of its own below a root, which dies at that step; 0: it does not. Returns whether it died. */
async function dieFixing(machine: Machine, root: string, step: number): Promise<boolean> {
  await machine.write(`${root}/die-at-step`, `${step}`);
  const program = await machine.start(helperProgram, ['--for', '0', '--root', root]);
  const socket = `${root}/run/sotto-helper/helper.sock`;
  // the socket of the helper before is still there, and nobody listens to it
  await program.ready(async () => (await onSocket(machine, socket, 'process.exit()')).code === 0);
  const { stdout: said } = await onSocket(
    machine,
    socket,
    `connection.on('data', (octets) => { process.stdout.write(octets); process.exit(); })
      .write('{"verb":"fix","fix":"firefox"}\\n')`,
  );
  await program.stop('SIGKILL');
  return said === '';
}

/** Fails where nobody listens. */
async function onSocket(machine: Machine, socket: string, then: string) {
  const script = `import { connect } from 'node:net';
    const connection = connect(process.argv[1], () => { ${then} });
    connection.on('error', () => process.exit(1));`;
  return await machine.run(process.execPath, ['--input-type=module', '-e', script, socket]);
}

async function open() {
  const lab = await labForTest();
  const machine = await Machine.create(lab, 'fixes');
  const helper = await Helper.start(lab, machine);
  return { machine, helper };
}
