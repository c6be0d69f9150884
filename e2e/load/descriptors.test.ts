/** No file descriptor is left for new connections; queries over UDP need none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectToService } from '../../app/service-client/service-client.ts';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes } from '../rig/message.ts';
import { run } from '../rig/process.ts';
import { askTcp, askUdp } from '../rig/raw-client.ts';
import { slowClients } from '../rig/sotto-lab.ts';
import { suffix } from '../rig/zones/far.ts';
import { processFigures } from './process-figures.ts';
import { describeLoad, openPath } from './scenario.ts';

const prlimit = '/usr/bin/prlimit';
/** File descriptors beyond those in use. */
const spare = 20;

describeLoad('without a descriptor left', () => {
  it('the service still responds over UDP, and recovers', async (context) => {
    if (!existsSync(prlimit)) context.skip('no prlimit: apt-get install util-linux');
    const lab = await labForTest();
    const { service } = await openPath(lab);
    const ask = async (label: string) =>
      parse(await askUdp(service.v4, encodeQuery(`${label}.${suffix}`, 'A'))).rcode;
    expect(await ask('before')).toBe(rcodes.NOERROR);
    const watching = await connectToService(join(service.home, 'control.sock'), 'a test');
    if (!watching.ok) throw new Error(watching.failure.message);
    const told = async () => {
      const status = await watching.value.call('status.get', {});
      return status.ok && status.value.health.some(({ code }) => code === 'descriptors-exhausted');
    };
    expect(await told()).toBe(false);
    const limit = processFigures(service.pid).descriptors + spare;
    await run(prlimit, ['--pid', String(service.pid), `--nofile=${limit}`]);

    const name = `probe.${suffix}`;
    const crowd = await slowClients(lab, service.v4, {
      ...{ kind: 'connect', count: 300, seconds: 60, name },
    });
    await eventually('every descriptor is taken', () => {
      return processFigures(service.pid).descriptors >= limit;
    });
    await eventually('it is a health issue', told);
    // each of these is forwarded, because the connection to the resolver is open already
    for (let number = 0; number < 20; number++)
      expect(await ask(`during${number}`)).toBe(rcodes.NOERROR);
    await crowd.stop();
    const { udp } = await crowd.summary();
    expect(udp).toMatchObject({ answered: udp.asked, failures: {} });

    const response = await eventually('TCP is answered again', async () => {
      return await askTcp(service.v4, encodeQuery(`after.${suffix}`, 'A'), 1000);
    });
    expect(parse(response).rcode).toBe(rcodes.NOERROR);
    await eventually('descriptors are free again', () => {
      return processFigures(service.pid).descriptors < limit;
    });
    await eventually('it is one no longer', async () => !(await told()));
    watching.value.close();
    expect(service.output).not.toContain(suffix);
  });
});
