/**
 * Whether a private upstream responds from here: each upstream of the default group gets a query over a connection of its own.
 */
import type { Settings } from '../../contract/settings/settings-shape.ts';
import { isPrivate } from '../../contract/settings/upstream-settings.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';

export async function answersPrivately(
  engine: Pick<EngineDriver, 'test'>,
  upstreams: Settings['upstreams'],
): Promise<boolean> {
  const candidates = upstreams.filter(
    ({ transport, group = '' }) => isPrivate(transport) && group === '',
  );
  const answers = candidates.map(async ({ id }) => {
    const tested = await engine.test(id);
    const answered = tested.ok && (tested.value.ok || tested.value.alternative?.ok === true);
    if (!answered) throw new Error('no');
  });
  return await Promise.any(answers).then(
    () => true,
    () => false,
  );
}
