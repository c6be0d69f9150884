/** A listener whose socket fails for an unexpected reason is reported, and listens again as soon as it can. */
import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { encodeQuery, parse } from '../rig/message.ts';
import { askTcp, askUdp } from '../rig/raw-client.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { FailingSockets } from './failing-sockets.ts';
import { describeLoad } from './scenario.ts';

const { EIO, ENOMEM } = constants.errno;
const cases = [
  ['udp', 'recvmmsg', EIO, false],
  ['udp', 'recvmmsg', ENOMEM, true],
  ['tcp', 'accept4', EIO, true],
] as const;

describeLoad('a listener whose socket fails', () => {
  it.for(cases)(
    '%s (%s, error %i, guarded: %s) is reported and begins again',
    async ([by, call, errno, guarded], context) => {
      const lab = await labForTest();
      const sockets = await FailingSockets.create(lab);
      if (typeof sockets === 'string') return context.skip(sockets);
      const service = await sockets.under(() =>
        SottoService.start(lab, {}, undefined, { guarded }),
      );
      const ask = by === 'udp' ? askUdp : askTcp;
      const other = by === 'udp' ? askTcp : askUdp;
      const local = encodeQuery('localhost', 'A');
      sockets.fail(call, errno);
      // this query wakes the listener, whatever it received last
      await ask(service.v4, local, 300).catch(() => null);
      const issue = await eventually('it is told', async () =>
        (await service.status()).health.find(
          ({ code, subject }) =>
            code === 'listener-restarting' && subject === `${by} 127.0.0.1:${service.port}`,
        ),
      );
      expect(issue.text).toContain('os error');
      expect(parse(await other(service.v4, local)).answers, 'the other one answers').toHaveLength(
        1,
      );
      sockets.heal();
      const response = await eventually('it is heard again', () =>
        ask(service.v4, local, 1000).catch(() => null),
      );
      expect(parse(response).answers).toHaveLength(1);
      await eventually(
        'it is told no longer',
        async () =>
          !(await service.status()).health.some(({ code }) => code === 'listener-restarting'),
      );
    },
  );
});
