/**
 * Whether a change of a setting that loosens nothing would still harm the other people of this machine: it erases what is kept, takes
 * the service away from programs, or its memory from the machine. An organisation's profile may do it; of people, only an
 * administrator. Pure.
 */
import { nowhere } from '../../contract/settings/fleet-settings.ts';
import {
  defaultSettings,
  type FlatSettings,
  type SettingKey,
} from '../../contract/settings/settings.ts';
import { addsTo } from './loosening-change.ts';

const fewer = (before: number, after: number) => after < before;
const ends = (before: boolean, after: boolean) => before && !after;
/** Whoever monitors or records would get nothing any more. */
const leaves = (before: string, after: string) => before !== nowhere && before !== after;

const disrupts: {
  [Key in SettingKey]?: (before: FlatSettings[Key], after: FlatSettings[Key]) => boolean;
} = {
  /**
   * At one that goes, programs still ask, and another program may take it. One that comes takes a port from others, which may be a
   * privileged one, and memory. Who may only control could not take it back.
   */
  listen: changes,
  /** What remains may not respond, and to bring one back loosens. */
  upstreams: (before, after) => before.some(({ id }) => !after.some((one) => one.id === id)),
  /** Names of a VPN that it told would go to the upstream. */
  learnRules: (before, after) => before !== after && before !== 'off',
  /** Internal names would no longer be answered. */
  allowPrivate: (before, after) => addsTo(after, before),
  forwardSpecial: (before, after) => addsTo(after, before),
  /** Programs of others that ask another resolver, other resolvers among them, would get no responses. */
  'systemDns.close': (before, after) => before !== after,
  'queryLog.keepDays': fewer,
  'queryLog.maxMegabytes': fewer,
  /** Whoever records what others do must not be stopped by them. */
  'queryLog.mode': (before, after) => before !== after && before !== 'off',
  'queryLog.programs': ends,
  'audit.connections': ends,
  'metrics.listen': leaves,
  'metrics.collector': leaves,
  'dnstap.socket': leaves,
  /** Nobody would be led to a login any more. */
  'portal.detect': ends,
  'cache.entries': (before, after) => after > Math.max(before, defaultSettings['cache.entries']),
};

/** The order alone changes nothing. */
function changes(before: readonly string[], after: readonly string[]): boolean {
  return addsTo(before, after) || addsTo(after, before);
}

export function disruptsOthers(key: SettingKey, before: unknown, after: unknown): boolean {
  const judge = disrupts[key] as ((before: unknown, after: unknown) => boolean) | undefined;
  return judge?.(before, after) ?? false;
}
