/** What the service expects of the addon is what the binding's sources export; `tsc` is the judge. */
import { expectTypeOf, test } from 'vitest';
import type { EngineAddon } from '../app/service/engine/engine-addon.ts';
import type * as binding from '../native/binding/index.d.ts';

test('the service may use the binding as its engine', () => {
  expectTypeOf<typeof binding>().toExtend<EngineAddon>();
});
