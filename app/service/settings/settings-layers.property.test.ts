/** Whatever the layers say: a lock holds against every weaker layer, and a person against recommendations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSettings, type SettingKey } from '../../contract/settings/settings.ts';
import type { PolicyEntry, PolicyFile } from './policy-file.ts';
import { layerSettings } from './settings-layers.ts';

const keys = [
  'downgrade',
  'consent',
  'queryLog.mode',
  'cache.entries',
] as const satisfies SettingKey[];
const value = fc.integer({ min: 0, max: 99 });

const entry = fc
  .record({ key: fc.constantFrom(...keys), value, lock: fc.boolean(), hidden: fc.boolean() })
  .map(
    ({ lock, hidden, ...rest }): PolicyEntry => ({
      ...rest,
      lock,
      hidden: lock && hidden,
      reason: null,
      until: null,
      held: false,
      problem: (_within, reason) => ({ file: '', path: '', line: null, reason }),
    }),
  );
const entries = fc.uniqueArray(entry, { selector: ({ key }) => key });
const file = (layer: PolicyFile['layer'], name: string) =>
  entries.map((given): PolicyFile => ({ layer, file: name, name, entries: given }));
/** The strongest first. */
const layers = fc.tuple(file('policy', 'a'), file('policy', 'b'), file('profile', 'p'));
const person = fc.dictionary(fc.constantFrom(...keys), value);

function inForce(files: readonly PolicyFile[], own: Record<string, unknown>) {
  const user = {
    file: 'u',
    values: own,
    problem: () => ({ file: 'u', path: '', line: null, reason: '' }),
  };
  return layerSettings(user as never, files);
}

test('the lock of the strongest layer holds, whatever weaker layers and the person say', () => {
  fc.assert(
    fc.property(layers, person, (files, own) => {
      const { values, sources } = inForce(files, own);
      for (const key of keys) {
        const lock = files.flatMap((one) => one.entries).find((one) => one.key === key && one.lock);
        const recommended = files.flatMap((one) => one.entries).find((one) => one.key === key);
        const wanted = lock?.value ?? own[key] ?? recommended?.value ?? defaultSettings[key];
        expect(values[key]).toBe(wanted);
        expect(sources[key].locked).toBe(lock !== undefined);
        expect(sources[key].hidden).toBe(lock?.hidden ?? false);
      }
    }),
  );
});

test('nothing that a weaker layer adds or takes away changes a locked setting', () => {
  fc.assert(
    fc.property(layers, file('profile', 'p'), person, person, ([a, b, p], other, own, others) => {
      const before = inForce([a, b, p], own);
      for (const key of keys) {
        const { locked, layer } = before.sources[key];
        if (!locked) continue;
        const weaker = layer === 'policy' ? [a, b, other] : [a, b, p];
        expect(inForce(weaker, others).values[key]).toBe(before.values[key]);
      }
    }),
  );
});
