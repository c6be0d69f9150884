/**
 * Whether a change of a setting that loosens nothing would still harm the other people of this machine: it erases what is kept, takes
 * the service away from programs, or its memory from the machine. An organisation's profile may do it; of people, only an
 * administrator. Pure.
 */
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
} from '../../contract/settings/settings.ts';

const fewer = (before: number, after: number) => after < before;

const disrupts: {
  [Key in SettingKey]?: (before: FlatSettings[Key], after: FlatSettings[Key]) => boolean;
} = {
  /** Programs ask there still, and another program may take the place. */
  listen: (before, after) => before.some((address) => !after.includes(address)),
  /** What remains may not respond, and to bring one back loosens. */
  upstreams: (before, after) => before.some(({ id }) => !after.some((one) => one.id === id)),
  /** Names of a VPN that it told would go to the upstream. */
  learnRules: (before, after) => before !== after && before !== 'off',
  'queryLog.keepDays': fewer,
  'queryLog.maxMegabytes': fewer,
  /** Whoever records what others do must not be stopped by them. */
  'queryLog.mode': (before, after) => before !== after && before !== 'off',
  'queryLog.programs': (before, after) => before && !after,
  'cache.entries': (before, after) => after > Math.max(before, defaultSettings['cache.entries']),
};

export function disruptsOthers(key: SettingKey, before: unknown, after: unknown): boolean {
  const judge = disrupts[key] as ((before: unknown, after: unknown) => boolean) | undefined;
  return judge?.(before, after) ?? false;
}
