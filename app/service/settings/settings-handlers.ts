/** The contract's methods `settings.*`. */
import { succeed } from '../../contract/errors.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import { declaredSettings, describeSettings } from './describe-settings.ts';
import type { EffectiveSettings } from './load-settings.ts';
import type { SettingsEditor } from './settings-editor.ts';

type SettingsHandlers = Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `settings.${string}`>>;

export function createSettingsHandlers(
  editor: SettingsEditor,
  inForce: () => EffectiveSettings,
): SettingsHandlers {
  return {
    'settings.effective': () =>
      succeed({ settings: describeSettings(inForce()), revision: editor.revision() }),
    'settings.describe': () => succeed({ settings: declaredSettings() }),
    'settings.set': ({ key, value, ifRevision }, { role }) =>
      editor.edit({ key, value: () => succeed(value), ifRevision, role }),
    'settings.reset': ({ key, ifRevision }, { role }) =>
      editor.edit({ key, value: () => succeed(undefined), ifRevision, role }),
    'settings.undo': (_params, { role }) => editor.undo(role),
    'settings.restore': () => editor.restore(),
    'settings.accept': () => editor.accept(),
  };
}
