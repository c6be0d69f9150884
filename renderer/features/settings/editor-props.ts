/** What every editor of a value is given; those of lists and forms get the editor of their items, too. */
import type { ComponentType } from 'react';
import type { SettingControl, SettingJson } from './setting-control.ts';

export interface ValueEditorProps<Control extends SettingControl = SettingControl> {
  /** of the field, or the setting's identifier */
  name: string;
  control: Control;
  value: SettingJson;
  unit?: string | null;
  disabled: boolean;
  /** that tie a control to its label, its sentence and its problem */
  attributes: Record<string, string | boolean | undefined>;
  onChange(value: SettingJson): void;
}

export interface OuterEditorProps<Control extends SettingControl>
  extends ValueEditorProps<Control> {
  /** draws a value of any shape */
  Inner: ComponentType<ValueEditorProps>;
}
