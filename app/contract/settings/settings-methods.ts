/** The settings as people see and change them: those in force, the declaration of each, and edits of the user's settings. */
import { z } from 'zod';
import { groupName } from './downgrade-policy.ts';
import { settingGroups } from './settings.ts';

const nothing = z.strictObject({});

const settingSource = z.strictObject({
  layer: z.enum(['default', 'user', 'profile', 'policy']),
  /** path of the file; null for defaults */
  file: z.string().nullable(),
});

export const effectiveSetting = z.strictObject({
  key: z.string(),
  value: z.json(),
  label: z.string(),
  help: z.string(),
  unit: z.string().nullable(),
  source: settingSource,
  locked: z.boolean(),
  /** locked, and not to be offered */
  hidden: z.boolean(),
  /** the name of the policy or of the profile's issuer, and its words */
  lockedBy: z.string().nullable(),
  reason: z.string().nullable(),
});

/** Identifies the user's file as it was read; every change of the file, by any program, gives another one. */
const revision = z.string().max(64);

const settingKey = z.string().min(1).max(64);

/** With it, a change is refused with "settings-changed" where the file is not the one that was read. */
const ifRevision = revision.optional();

export const settingChange = z.strictObject({
  key: z.string(),
  /** the user's value before; `set`: whether there was one */
  previous: z.strictObject({ set: z.boolean(), value: z.json() }),
  /** as it is in force now */
  setting: effectiveSetting,
  revision,
});

/** A setting's declaration as data: what a page or an editor needs to show it. */
export const describedSetting = z.strictObject({
  key: z.string(),
  group: z.enum(settingGroups),
  label: z.string(),
  help: z.string(),
  unit: z.string().nullable(),
  default: z.json(),
  /** JSON Schema of the value */
  schema: z.record(z.string(), z.json()),
});

/** The group that an upstream answers for from now on; null: for every other name. */
const groupMember = z.strictObject({
  upstream: z.string().min(1).max(64),
  group: groupName.nullable(),
});

export const settingsMethods = {
  effective: {
    params: nothing,
    result: z.strictObject({ settings: z.array(effectiveSetting), revision }),
  },
  describe: { params: nothing, result: z.strictObject({ settings: z.array(describedSetting) }) },
  set: {
    params: z.strictObject({
      key: settingKey,
      value: z.json(),
      /** Of "groups" alone. Neither a group without upstreams nor an upstream of an unknown group is accepted, so both change at once. */
      members: z.array(groupMember).max(256).optional(),
      ifRevision,
    }),
    result: settingChange,
  },
  reset: { params: z.strictObject({ key: settingKey, ifRevision }), result: settingChange },
  undo: { params: nothing, result: settingChange },
  restore: { params: nothing, result: z.strictObject({ file: z.string() }) },
  accept: { params: nothing, result: z.strictObject({ files: z.array(z.string()) }) },
};

export type EffectiveSetting = z.infer<typeof effectiveSetting>;
export type SettingChange = z.infer<typeof settingChange>;
export type DescribedSetting = z.infer<typeof describedSetting>;
export type GroupMember = z.infer<typeof groupMember>;
export type SettingsMethod = keyof typeof settingsMethods;
