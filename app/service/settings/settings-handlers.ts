/** The contract's methods `settings.*`. */
import { fail, succeed } from '../../contract/errors.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import type { GroupMember } from '../../contract/settings/settings-methods.ts';
import { declaredSettings, describeSettings } from './describe-settings.ts';
import type { EffectiveSettings } from './load-settings.ts';
import type { SettingsEditor, WantedEdit } from './settings-editor.ts';

type SettingsHandlers = Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `settings.${string}`>>;

export function createSettingsHandlers(
  editor: SettingsEditor,
  inForce: () => EffectiveSettings,
): SettingsHandlers {
  return {
    'settings.effective': () =>
      succeed({ settings: describeSettings(inForce()), revision: editor.revision() }),
    'settings.describe': () => succeed({ settings: declaredSettings() }),
    'settings.set': ({ key, value, members = [], ifRevision }, { role }) =>
      editor.edit({
        key,
        value: () => succeed(value),
        ifRevision,
        role,
        ...(members.length === 0 || key !== 'groups' ? {} : { also: [grouped(members)] }),
      }),
    'settings.reset': ({ key, ifRevision }, { role }) =>
      editor.edit({ key, value: () => succeed(undefined), ifRevision, role }),
    'settings.undo': (_params, { role }) => editor.undo(role),
    'settings.restore': () => editor.restore(),
    'settings.accept': () => editor.accept(),
  };
}

function grouped(members: readonly GroupMember[]): NonNullable<WantedEdit['also']>[number] {
  return {
    key: 'upstreams',
    value({ upstreams }) {
      const missing = members.find(({ upstream }) => !upstreams.some(({ id }) => id === upstream));
      if (missing !== undefined)
        return fail(
          'settings-changed',
          `there is no upstream "${missing.upstream}" any more`,
          'look at the groups again',
          missing.upstream,
        );
      return succeed(
        upstreams.map((upstream) => {
          const member = members.find(({ upstream: id }) => id === upstream.id);
          if (member === undefined) return upstream;
          const { group: _, ...others } = upstream;
          return member.group === null ? others : { ...others, group: member.group };
        }),
      );
    },
  };
}
