/** Settings that protect less than they would by themselves, and that nothing else in the status tells of. Pure. */
import type { Settings } from '../../contract/settings/settings-shape.ts';
import type { Loosened } from '../../contract/status/service-status.ts';

/** Names stay out of it: whoever may only observe is told all of this. */
export function loosenedBy(settings: Settings): Loosened[] {
  const { allowPrivate, forwardSpecial, upstreams, systemDns } = settings;
  const counted = [
    { setting: 'allowPrivate' as const, count: allowPrivate.length },
    { setting: 'forwardSpecial' as const, count: forwardSpecial.length },
    {
      setting: 'earlyData' as const,
      count: upstreams.filter(({ earlyData }) => earlyData === true).length,
    },
  ];
  return [
    ...counted.filter(({ count }) => count > 0),
    ...(systemDns.close === 'never' ? [{ setting: 'systemDns.close' as const, count: null }] : []),
  ];
}
