/** Who may send requests, and what happens to anything else that is sent. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { helperSocket, longestHelperRequest } from '../../app/contract/system/helper-protocol.ts';
import { helper as helperFile } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { Helper, journalFile, serviceUser } from './helper.ts';
import { Machine } from './machine.ts';
import { inShared } from './shared-repository.ts';

const asker = fileURLToPath(new URL('./ask-helper.ts', import.meta.url));
const node = inShared(process.execPath);
const requests = JSON.parse(
  readFileSync(new URL('../../native/helper/tests/requests.json', import.meta.url), 'utf8'),
) as { refused: string[] };
const servers = [{ address: '127.0.0.1', port: 53 }];

describeInNetworks(['busctl'], 'the helper', () => {
  it.each([
    ['root', 0, true],
    ['the service', serviceUser, true],
    ['another user', 1234, false],
    ['another user who asks for much', 4242, false],
  ])('with requests from %s', async (_, user, isHeard) => {
    const { machine } = await open();
    const line = JSON.stringify({ verb: 'take-file', servers });
    const as = ['--reuid', `${user}`, '--clear-groups', '--', node, inShared(asker)];
    const { stdout } = await machine.run('setpriv', [...as, helperSocket, line]);
    if (isHeard) expect(JSON.parse(stdout)).toMatchObject({ ok: { taken: { mechanism: 'file' } } });
    else expect(stdout).toBe('');
    const changed = (await machine.read('/etc/resolv.conf')).includes('127.0.0.1');
    expect(changed).toBe(isHeard);
  });

  it('gives back for the service by its own command, and not for another user', async () => {
    const { machine, helper } = await open();
    await helper.ask({ verb: 'take-file', servers });
    const refused = await helper.command(1234, 'give-back');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody answers') });
    expect(await machine.read('/etc/resolv.conf')).toContain('127.0.0.1');
    expect(
      await helper.command(serviceUser, 'keep-over-boot', '--while-enabled', 'x'),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('only root'),
    });
    expect(await helper.command(serviceUser, 'give-back')).toMatchObject({ code: 0 });
    expect(await machine.read('/etc/resolv.conf')).toBe('');
  });

  it('that command waits for it while it is started again', async () => {
    const { machine, helper } = await open();
    await helper.ask({ verb: 'take-file', servers });
    // it waits for some seconds, in which the machine may stand still
    await eventually('it is given back', async () => {
      await helper.kill();
      const asking = helper.command(serviceUser, 'give-back');
      await helper.start();
      return (await asking).code === 0;
    });
    expect(await machine.read('/etc/resolv.conf')).toBe('');
  });

  it('refuses what is no request, names why, and goes on', async () => {
    const { helper } = await open();
    for (const line of requests.refused) {
      const reply = JSON.parse(await helper.exchange(`${line}\n`));
      expect([line, reply]).toMatchObject([line, { failed: { code: 'bad-request' } }]);
    }
    const elsewhere = { verb: 'take-file', servers: [{ address: '192.0.2.1', port: 53 }] };
    expect(await helper.reply(elsewhere)).toMatchObject({ failed: { code: 'not-loopback' } });
    const onPort = { verb: 'take-file', servers: [{ address: '127.0.0.1', port: 5300 }] };
    expect(await helper.reply(onPort)).toMatchObject({ failed: { code: 'port-not-possible' } });
    expect(await helper.ask({ verb: 'status' })).toEqual({ held: [] });
  });

  it('reads a line of the largest size, and no longer one', async () => {
    const { helper } = await open();
    const padded = (size: number) => `${'{"verb":"status"}'.padEnd(size - 1)}\n`;
    expect(await helper.exchange(padded(longestHelperRequest))).toBe('{"ok":{"held":[]}}\n');
    const reply = JSON.parse(await helper.exchange(padded(longestHelperRequest + 1)));
    expect(reply).toMatchObject({ failed: { code: 'bad-request' } });
    expect(await helper.exchange(Buffer.alloc(100_000))).toContain('bad-request');
    expect(await helper.ask({ verb: 'status' })).toEqual({ held: [] });
  });

  it('makes its journal readable for root only, and changes nothing without it', async () => {
    const { machine, helper } = await open();
    await helper.ask({ verb: 'take-file', servers });
    const modes = await machine.shell('stat -c "%a %u" "$1" "$(dirname "$1")"', journalFile);
    expect(modes).toBe('600 0\n700 0\n');
    await machine.write(journalFile, '{"format":1,"entries":[{"since":');
    const taken = await machine.read('/etc/resolv.conf');
    for (const verb of ['status', 'give-back'])
      expect(await helper.reply({ verb })).toMatchObject({ failed: { code: 'journal-failed' } });
    expect(await helper.reply({ verb: 'take-file', servers })).toMatchObject({
      failed: { code: 'journal-failed' },
    });
    expect(await machine.read('/etc/resolv.conf')).toBe(taken);
  });

  it('uses the socket that systemd hands over', async () => {
    const { machine, helper } = await open();
    await helper.kill();
    const socket = '/run/handed-over.sock';
    const words = ['-l', socket, helperFile, '--for', '1'];
    const program = await machine.start('systemd-socket-activate', words);
    await program.ready(async () => /Listening on/.exec(program.stderr));
    const asked = await machine.run(process.execPath, [asker, socket, '{"verb":"status"}']);
    expect(asked.stdout).toBe('{"ok":{"held":[]}}\n');
  });

  it('runs only once', async () => {
    const { helper } = await open();
    expect(await helper.command(0, '--for', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another helper serves there'),
    });
  });
});

async function open() {
  const lab = await labForTest();
  const machine = await Machine.create(lab, 'socket');
  return { machine, helper: await Helper.start(lab, machine) };
}
