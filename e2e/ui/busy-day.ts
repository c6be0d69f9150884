/** The query log of a busy day, made up for the pictures of Home. */
import { someEvent } from '../../app/cli/fixtures/made-up.ts';
import type { ServiceHandlers } from '../../app/contract/service-api.ts';

const names = ['github.com', 'debian.org', 'mozilla.org', 'openstreetmap.org', 'cdn.example.com'];
const programs = ['firefox', 'apt', 'spotify', 'systemd-timesyncd'];
/** The i-th of 1,000 queries: few values take most of them. */
const few = <Value>(values: readonly Value[], of: number) =>
  values[Math.floor(((of * of) % 97) ** 2 / 97 ** 2 / (1 / values.length))] as Value;
const { asker } = someEvent();
const events = Array.from({ length: 1000 }, (_, of) =>
  someEvent({
    id: of + 1,
    name: few(names, of),
    asker: { ...asker, program: few(programs, of + 5), application: '', executable: '' },
  }),
);

const wave = (buckets: number, height: number, shift: number) =>
  Array.from({ length: buckets }, (_, at) =>
    Math.round(height * (1 + Math.sin(at / 11 + shift)) * (0.7 + ((at * 37) % 11) / 20)),
  );

export const busyDay: Partial<ServiceHandlers> = {
  'log.query': () => ({ ok: true, value: { events } }),
  'log.histogram': ({ filter, from, to = 0, buckets }) => ({
    ok: true,
    value: {
      from,
      to,
      width: (to - from) / buckets,
      counts:
        filter === ''
          ? {
              forwarded: wave(buckets, 30, 3),
              cached: wave(buckets, 55, 3.2),
              bypassed: wave(buckets, 3, 3.5),
            }
          : {},
    },
  }),
  'coverage.map': () => ({
    ok: true,
    value: { at: Date.now(), countsSince: 0, uncounted: null, rows: [], limits: [] },
  }),
};
