import { expect, test } from 'vitest';
import type { Session } from '../../state/session.ts';
import { followSettings } from './settings-store.ts';

/** A service that counts the revisions of its settings, and notes of each change which one it names. */
function counting() {
  const named: unknown[] = [];
  let revision = 1;
  const replies: Record<string, () => object> = {
    'settings.describe': () => ({ settings: [] }),
    'settings.effective': () => ({ settings: [], revision: `${revision}` }),
    'settings.set': () => ({ revision: `${++revision}` }),
  };
  const call = async (method: string, params: { ifRevision?: string }) => {
    if (method === 'settings.set') named.push(params.ifRevision);
    await new Promise((resolve) => setTimeout(resolve, 0));
    return { ok: true, value: replies[method]?.() };
  };
  const state = { get: () => ({ is: 'connected' }), subscribe: () => () => {} };
  return { named, session: { state, call } as unknown as Session };
}

test('changes that come at once name the revision that the one before left', async () => {
  const { named, session } = counting();
  const settings = followSettings(session);
  await Promise.all([settings.set('downgrade', 'warn'), settings.set('strategy', 'race')]);
  expect(named).toEqual(['1', '2']);
});
