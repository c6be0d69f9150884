/** build/system/sotto-stop turns systemd's job into the stop reason, which service and helper read. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stopReasonFile } from '../../app/contract/system/helper-protocol.ts';
import { root } from '../../build/places.mjs';
import { describeInNetworks } from '../rig/available.ts';
import { labForFile } from '../rig/lab.ts';
import { Machine } from './machine.ts';

const script = join(root, 'build/system/sotto-stop');
const standIn = `#!/bin/sh
echo "$*" >>/run/systemctl-was-asked
case "$1" in
is-system-running) echo "$STATE"; [ "$STATE" = running ] ;;
list-jobs) [ -z "$JOB" ] || echo "4711 sotto.service $JOB running" ;;
esac
`;

describeInNetworks([], 'why systemd stops the service', () => {
  const lab = labForFile();
  let made: Promise<Machine> | undefined;

  async function machine(): Promise<Machine> {
    made ??= Machine.create(lab, 'stop').then(async (one) => {
      await one.write('/run/stand-in/systemctl', standIn);
      await one.shell('chmod 755 /run/stand-in/systemctl; mkdir -m 755 /run/sotto-helper');
      return one;
    });
    return await made;
  }

  async function after(phase: string, state: string, job: string, earlier: string) {
    const one = await machine();
    await one.shell('rm -f "$1"*; : >/run/systemctl-was-asked', stopReasonFile);
    if (earlier !== '') await one.write(stopReasonFile, `${earlier}\n`);
    const env = { PATH: `/run/stand-in:${process.env['PATH']}`, STATE: state, JOB: job };
    expect((await one.run('/bin/sh', [script, phase], { env })).code).toBe(0);
    const { stdout } = await one.run('cat', [stopReasonFile]);
    const asked = await one.read('/run/systemctl-was-asked');
    return [stdout.trim(), asked.includes('stop sotto.socket')];
  }

  it.each([
    ['before', 'running', 'stop', '', 'stop', false],
    ['before', 'degraded', 'stop', 'restart', 'stop', false],
    ['before', 'running', 'restart', 'stop', 'restart', false],
    ['before', 'stopping', 'stop', '', 'shutdown', false],
    ['before', 'stopping', 'restart', 'stop', 'shutdown', false],
    ['before', 'running', '', 'stop', '', false],
    ['before', 'running', 'start', 'stop', '', false],
    ['after', 'running', 'stop', 'stop', '', true],
    ['after', 'running', 'restart', 'restart', 'restart', false],
    ['after', 'stopping', 'stop', 'shutdown', 'shutdown', false],
    ['after', 'running', '', '', '', false],
    ['begin', 'running', 'start', 'stop', '', false],
    ['begin', 'running', 'restart', 'restart', '', false],
  ])('%s, %s, job %j, earlier %j: %j, given back: %s', async (...row) => {
    const [phase, state, job, earlier, word, givesBack] = row;
    expect(await after(phase, state, job, earlier)).toEqual([word, givesBack]);
  });

  it('can be written by root only', async () => {
    await after('before', 'running', 'stop', '');
    const one = await machine();
    expect(await one.succeed('stat', '-c', '%U %a', stopReasonFile)).toBe('root 644\n');
  });
});
