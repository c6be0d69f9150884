/** The contract's methods `catalogue.list` and `upstream.add`, `remove` and `move`: edits of the setting "upstreams". */
import { type Result, succeed } from '../../contract/errors.ts';
import type { Role, ServiceHandlers } from '../../contract/service-api.ts';
import type { CatalogueEntry, UpstreamChanged } from '../../contract/settings/upstream-methods.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Resolver } from '../settings/resolver-catalogue.ts';
import type { SettingsEditor } from '../settings/settings-editor.ts';
import { addUpstream, type ListChange, moveUpstream, removeUpstream } from './upstream-list.ts';

type UpstreamHandlers = Pick<
  ServiceHandlers,
  'catalogue.list' | 'upstream.add' | 'upstream.remove' | 'upstream.move'
>;

interface UpstreamParts {
  catalogue: readonly Resolver[];
  editor: SettingsEditor;
  inForce(): EffectiveSettings;
}

export function createUpstreamHandlers({
  catalogue,
  editor,
  inForce,
}: UpstreamParts): UpstreamHandlers {
  async function edit(
    role: Role,
    change: (upstreams: readonly UpstreamSetting[]) => Result<ListChange>,
  ): Promise<Result<UpstreamChanged>> {
    let made: ListChange | null = null;
    const changed = await editor.edit({
      key: 'upstreams',
      role,
      value({ upstreams }) {
        const result = change(upstreams);
        if (!result.ok) return result;
        made = result.value;
        return succeed(made.upstreams);
      },
    });
    if (!changed.ok || made === null) return changed as Result<never>;
    const { upstream, notes } = made as ListChange;
    return succeed({ upstream, change: changed.value, notes });
  }

  return {
    'catalogue.list': () => {
      const { upstreams } = inForce().values;
      return succeed({ resolvers: catalogue.map((one) => entryOf(one, upstreams)) });
    },
    'upstream.add': ({ upstream, at }, { role }) =>
      edit(role, (upstreams) => addUpstream(upstreams, upstream, at, catalogue, Date.now())),
    'upstream.remove': ({ id }, { role }) =>
      edit(role, (upstreams) => removeUpstream(upstreams, id)),
    'upstream.move': ({ id, to }, { role }) =>
      edit(role, (upstreams) => moveUpstream(upstreams, id, to)),
  };
}

/** It is in use where an upstream has one of its names. */
function entryOf(resolver: Resolver, upstreams: readonly UpstreamSetting[]): CatalogueEntry {
  const used = upstreams.find(({ name = [] }) =>
    [name].flat().some((one) => resolver.names.includes(one.toLowerCase())),
  );
  return { ...resolver, upstream: used?.id ?? null };
}
