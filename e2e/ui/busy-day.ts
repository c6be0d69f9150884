/** A busy day, made up for the pictures of Home. */
import type { ServiceHandlers } from '../../app/contract/service-api.ts';
import { quad9Day } from './told-providers.ts';

const names = ['github.com', 'debian.org', 'mozilla.org', 'openstreetmap.org', 'example.com'];
const programs = ['firefox', 'apt', 'spotify', 'systemd-timesyncd'];

const ranked = (values: readonly string[], highest: number) =>
  values.map((value, at) => ({ value, count: Math.round(highest / (1 + at) ** 1.3), icon: null }));

const wave = (points: number, height: number, shift: number) =>
  Array.from({ length: points }, (_, at) =>
    Math.round(height * (1 + Math.sin(at / 11 + shift)) * (0.7 + ((at * 37) % 11) / 20)),
  );

export const busyDay: Partial<ServiceHandlers> = {
  'log.top': ({ by }) => ({
    ok: true,
    value: {
      rows: by === 'domain' ? ranked(names, 1204) : ranked(programs, 6112),
      queries: 12_412,
      isExact: true,
    },
  }),
  'stats.series': ({ since, until, points }) => {
    const none = wave(points, 0, 0);
    return {
      ok: true,
      value: {
        since,
        step: (until - since) / points,
        keptSince: since,
        outcomes: {
          encrypted: wave(points, 30, 3),
          cached: wave(points, 55, 3.2),
          exceptions: wave(points, 3, 3.5),
          unencrypted: none,
          blocked: none,
          failed: none,
        },
        upstreams: [quad9Day(points)],
      },
    };
  },
  'coverage.map': () => ({
    ok: true,
    value: { at: Date.now(), countsSince: 0, uncounted: null, rows: [], limits: [] },
  }),
};
