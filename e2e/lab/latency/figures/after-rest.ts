/** No query came for so long that keep-warm has closed its connection: the next query finds none open, and dials. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure } from '../figure.ts';
import type { RunningSotto } from '../programs/sotto.ts';
import { ours, plainUdp } from '../rows.ts';

const idle = 'after ten idle minutes';
const waited = 'really waited, s';
const lookEveryMs = 2000;
const atMostMs = 300_000;

export const afterRest: Figure = {
  id: 'after-rest',
  title: 'First query after ten idle minutes',
  how: `Sotto with its usual settings, kernels that allow TCP Fast Open (net.ipv4.tcp_fastopen = 3), and a server that closes after 2 s. There is a query, and then none until the service reports that keep-warm rests because no queries come, and that no connection is open (what "sotto upstream list" calls "rests: nobody asks", three minutes after the last query); then there is a query. The second column says how long that was. Until the next query nothing is dialled any more, so ten minutes would give the same result.`,
  unit: '× UDP',
  columns: [idle, waited],
  reach: [{ row: ours, column: idle, atMost: 2.1, needs: 'less computing in the handshake' }],
  once: true,
  async measure(round) {
    return await round.at({ idle: '2s' }, async (stage) => {
      await stage.allowFastOpen(true);
      const running = await stage.sotto('dot');
      await stage.askOne(running.door);
      const seconds = (await untilAtRest(running)) / 1000;
      const ms = await stage.askOne(running.door);
      return {
        samples: [
          { row: plainUdp, column: idle, value: 1 },
          { row: ours, column: idle, value: ms / (await stage.udpMs()) },
          { row: ours, column: waited, value: seconds },
        ],
      };
    });
  },
};

/** How long that took, in milliseconds. */
async function untilAtRest({ service }: RunningSotto): Promise<number> {
  const start = performance.now();
  for (;;) {
    const [upstream] = (await service.status()).upstreams;
    const taken = performance.now() - start;
    if (upstream?.warmth?.rests === 'idle' && upstream.state === 'idle') return taken;
    if (taken > atMostMs)
      throw new Error(`keep-warm does not rest: ${JSON.stringify(upstream?.warmth)}`);
    await pause(lookEveryMs);
  }
}
