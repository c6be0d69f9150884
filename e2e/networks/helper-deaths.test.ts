/**
 * The helper is killed at each step of taking resolv.conf, of giving it back, and of recording what DHCP sent meanwhile: the next
 * helper can give back everything.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { helper } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Machine } from './machine.ts';

/** The helper dies on demand only below a folder of its own (--root). */
const root = '/run/prefix';
const path = `${root}/etc/resolv.conf`;
const journal = `${root}/var/lib/sotto-helper/journal.json`;
const take = '{"verb":"take-file","servers":[{"address":"127.0.0.1","port":53}]}';
const text = 'nameserver 192.0.2.1\\nsearch corp.example\\n';
const mostSteps = 20;

const shapes: [what: string, script: string][] = [
  ['a file', `printf '${text}' > ${path}`],
  ['a symbolic link', `printf '${text}' > ${root}/their.conf; ln -s ../their.conf ${path}`],
  ['nothing', ':'],
  [
    'a mounted file, shorter than ours',
    `printf '${text}' > ${root}/their.conf; : > ${path}; mount --bind ${root}/their.conf ${path}`,
  ],
  [
    'a mounted file, longer than ours',
    `printf '${text}' > ${root}/their.conf; seq -f "# line %g" 500 >> ${root}/their.conf
     : > ${path}; mount --bind ${root}/their.conf ${path}`,
  ],
];

describeInNetworks([], 'a helper that dies', () => {
  describe.each(shapes)('where there is %s', (_, script) => {
    it('at any step of taking it, leaves what can be given back', async () => {
      const machine = await Machine.create(await labForTest(), 'deaths');
      await dieAtEachStep(machine, script, async (step) => {
        await machine.write(`${root}/die-at-step`, `${step}`);
        return await askOnce(machine);
      });
    });

    it('together with the machine, at any step of taking it, lets the next boot give it back', async () => {
      const machine = await Machine.create(await labForTest(), 'deaths');
      const dieTaking = async (step: number) => {
        await machine.write(`${root}/die-at-step`, `${step}`);
        return await askOnce(machine);
      };
      await dieAtEachStep(machine, script, dieTaking, async () => {
        await machine.shell(
          `sed -i 's/"boot":"[^"]*"/"boot":"another"/' ${journal} 2>/dev/null || :`,
        );
        return await recoverBy(machine, 'keep-over-boot', '--while-enabled', 'sotto.service');
      });
    });

    it('at any step of giving it back, leaves what can be given back', async () => {
      const machine = await Machine.create(await labForTest(), 'deaths');
      await dieAtEachStep(machine, script, async (step) => {
        expect(await askOnce(machine)).toBe(false);
        await machine.write(`${root}/die-at-step`, `${step}`);
        return (await recoverBy(machine, 'give-back')) !== 0;
      });
    });

    it('at any step of recording what DHCP sent, leaves either that or what was there before', async () => {
      const machine = await Machine.create(await labForTest(), 'deaths');
      let died = 0;
      while (died < mostSteps && (await dieBeingTold(machine, script, died + 1))) died++;
      expect(died).toBeGreaterThan(2);
      expect(died).toBeLessThan(mostSteps);
    });
  });
});

/**
 * `until` does it with a death at that step and returns whether the helper died; `recover` runs next and must end with the status
 * 0.
 */
async function dieAtEachStep(
  machine: Machine,
  script: string,
  until: (step: number) => Promise<boolean>,
  recover = () => recoverBy(machine, 'give-back'),
): Promise<void> {
  let died = 0;
  for (let step = 1; step <= mostSteps; step++) {
    await lay(machine, script);
    const before = await state(machine);
    const hasDied = await until(step);
    await machine.shell(`rm -f ${root}/die-at-step`);
    expect([step, await recover()]).toEqual([step, 0]);
    expect([step, await state(machine)]).toEqual([step, before]);
    if (!hasDied) break;
    died = step;
  }
  expect(died).toBeGreaterThan(3);
  expect(died).toBeLessThan(mostSteps);
}

/** DHCP sends it, every second time repeatedly. Returns whether the helper died. */
async function dieBeingTold(machine: Machine, script: string, step: number): Promise<boolean> {
  await lay(machine, script);
  const before = await shown(machine);
  expect(await askOnce(machine)).toBe(false);
  await machine.write(`${root}/die-at-step`, `${step}`);
  const hasDied = await sayByDhcp(machine);
  await machine.shell(`rm -f ${root}/die-at-step`);
  expect([step, await shown(machine)]).toEqual([step, expect.stringMatching(/^# sotto-helper/)]);
  const isToldAgain = step % 2 === 0 && hasDied;
  if (isToldAgain) expect([step, await sayByDhcp(machine)]).toEqual([step, false]);
  expect([step, await recoverBy(machine, 'give-back')]).toEqual([step, 0]);
  const possible = isToldAgain || !hasDied ? [said] : [before, said];
  expect([step, possible]).toEqual([step, expect.arrayContaining([await shown(machine)])]);
  expect([step, await machine.shell(`ls ${root}/etc`)]).toEqual([step, 'resolv.conf\n']);
  return hasDied;
}

/** Makes the file anew, in the state in which the helper finds it. */
async function lay(machine: Machine, script: string): Promise<void> {
  await machine.shell(`umount ${path} 2>/dev/null || :; rm -rf ${root}; mkdir -p ${root}/etc`);
  await machine.shell(`mkdir -p ${root}/var/lib ${root}/run; ${script}`);
}

const said = 'domain new.example\nsearch new.example\nnameserver 192.0.2.7\n';

/** Returns whether it died. */
async function sayByDhcp(machine: Machine): Promise<boolean> {
  const command = `printf "$1" | "$2" dhcp-said --root ${root}`;
  const { code, stderr } = await machine.run('/bin/sh', ['-c', command, 'sh', said, helper]);
  if (code !== 0 && code !== 137) throw new Error(`dhcp-said ended with ${code}: ${stderr}`);
  return code === 137;
}

/** The file as programs read it; empty: there is none. */
async function shown(machine: Machine): Promise<string> {
  return await machine.shell(`cat ${path} 2>/dev/null || :`);
}

/** Starts a helper, lets it take the file, and ends it. Returns whether it died before it had replied. */
async function askOnce(machine: Machine): Promise<boolean> {
  const program = await machine.start(helper, ['--for', '0', '--root', root]);
  const socketPath = `/proc/${program.pid}/root${root}/run/sotto-helper/helper.sock`;
  const socket = await eventually('the helper listens', async () => {
    const trying = connect(socketPath);
    await once(trying, 'connect');
    return trying;
  });
  let said = '';
  socket.on('data', (octets) => {
    said += octets;
    socket.destroy();
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(`${take}\n`);
  await closed;
  await program.stop('SIGKILL');
  return said === '';
}

async function recoverBy(machine: Machine, ...words: string[]): Promise<number | null> {
  const program = await machine.start(helper, [...words, '--root', root]);
  return (await program.exited).code;
}

async function state(machine: Machine): Promise<string> {
  return await machine.shell(
    `ls "$(dirname "$1")"; stat -c "%F %a %u:%g %i %y %s" "$1" 2>&1 || :; readlink "$1" || :; cat "$1" 2>&1 || :`,
    path,
  );
}
