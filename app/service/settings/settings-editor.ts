/**
 * Changes of the user's settings through the service: one at a time, checked as the file is, in force before they are written,
 * and written only over the file from which they were made.
 */
import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Role } from '../../contract/service-api.ts';
import {
  type FlatSettings,
  type SettingKey,
  settingDeclarations,
  settingKeys,
} from '../../contract/settings/settings.ts';
import type { EffectiveSetting, SettingChange } from '../../contract/settings/settings-methods.ts';
import { readIssues, writePath } from '../../contract/settings/validation-issues.ts';
import type { InOrder } from '../base/in-order.ts';
import type { Journal } from '../logging/journal.ts';
import { describeSetting } from './describe-settings.ts';
import { disruptsOthers } from './disruptive-change.ts';
import type { EffectiveSettings, LoadedSettings } from './load-settings.ts';
import { loosensProtection } from './loosening-change.ts';
import { editSetting } from './setting-edit.ts';
import {
  type Base,
  invalid,
  readSound,
  readText,
  revisionOf,
  type Text,
  writeOver,
} from './settings-file.ts';
import type { SettingsStore } from './settings-store.ts';
import { parseSettingsText } from './settings-text.ts';

export interface WantedEdit {
  key: string;
  /** The user's new value, from the values in force and in the user's own notation; undefined: the setting is removed. */
  value(now: FlatSettings): Result<unknown>;
  ifRevision?: string | undefined;
  role: Role;
  /** other settings that change in the same step, because each change alone would be refused */
  also?: readonly Edit[];
}

type Edit = Pick<WantedEdit, 'value'> & { key: SettingKey };

export interface SettingsEditor {
  /** Identifies the present file. */
  revision(): string;
  edit(wanted: WantedEdit): Promise<Result<SettingChange>>;
  /** Takes back the last change made here that nobody has changed again. */
  undo(role: Role): Promise<Result<SettingChange>>;
  /** Writes settings.json as it was before it vanished. */
  restore(): Promise<Result<{ file: string }>>;
  /** Lets go of files that vanished: what they said no longer holds. */
  accept(): Promise<Result<{ files: string[] }>>;
}

export interface EditorParts {
  store: SettingsStore;
  settingsFile: string;
  /** Brings them into force, or says why that is impossible. */
  adopt(effective: EffectiveSettings): Promise<Result<null>>;
  /** Keeps what is in force now for the next start, or reports that it could not. */
  keep(): void;
  /** shared with whatever else changes what is in force */
  inTurn: InOrder;
  journal: Journal;
}

/** Changes that can be undone; older ones are forgotten. */
const mostUndone = 50;

interface Done {
  /** the first is the one that was asked for */
  keys: readonly [SettingKey, ...SettingKey[]];
  before: Text;
  after: string;
}

export function createSettingsEditor({
  store,
  settingsFile,
  adopt,
  keep,
  inTurn,
  journal,
}: EditorParts): SettingsEditor {
  const done: Done[] = [];

  /** Replaces what was found a moment ago by `next`. */
  async function replace(
    keys: Done['keys'],
    { found, meant }: Base,
    next: string,
    role: Role,
  ): Promise<Result<SettingChange>> {
    const before = store.current();
    // Role and lock come first: no file is opened for whoever may not name it.
    const judged = judge(keys, before, store.consider(next, { unopened: true }), role);
    if (!judged.ok) return judged;
    const allowed = judge(keys, before, store.consider(next), role);
    if (!allowed.ok) return allowed;
    const effective = allowed.value;
    const [key] = keys;
    const stored =
      next === found ? succeed(null) : await adoptAndWrite(before, effective, found, next);
    if (!stored.ok) return stored;
    return succeed({
      key,
      previous: previousOf(userValue(meant, key)),
      setting: describeSetting(key, effective),
      revision: revisionOf(next),
    });
  }

  function judge(
    keys: Done['keys'],
    before: EffectiveSettings,
    { effective, problems }: LoadedSettings,
    role: Role,
  ): Result<EffectiveSettings> {
    if (effective === null) return invalid(problems);
    const refused = firstRefused(
      keys,
      (key) => refuseLocked(key, effective) ?? refuseLoosening(key, before, effective, role),
      role,
    );
    return refused ?? succeed(effective);
  }

  function firstRefused(
    keys: Done['keys'],
    refusal: (key: SettingKey) => Result<never> | null,
    role: Role,
  ): Result<never> | null {
    for (const setting of keys) {
      const refused = refusal(setting);
      if (refused === null || refused.ok) continue;
      journal.note('change-refused', { setting, because: refused.failure.code, role });
      return refused;
    }
    return null;
  }

  /** Brings `effective` into force and writes its text; where that fails, `before` is in force again. */
  async function adoptAndWrite(
    before: EffectiveSettings,
    effective: EffectiveSettings,
    found: Text,
    next: string,
  ): Promise<Result<null>> {
    const adopted = await adopt(effective);
    if (!adopted.ok) return adopted;
    const written = writeOver(settingsFile, found, next);
    if (!written.ok) {
      await adopt(before);
      return written;
    }
    store.reload(next);
    keep();
    return succeed(null);
  }

  async function editNow({ key, value, ifRevision, role, also = [] }: WantedEdit) {
    if (!isSettingKey(key)) return unknownSetting(key);
    const keys: Done['keys'] = [key, ...also.map((other) => other.key)];
    // Before any work for the value, which whoever sends it makes as large as a request may be.
    const read =
      firstRefused(keys, (one) => refuseLocked(one, store.current()), role) ??
      readSound(settingsFile, store.meaning, ifRevision);
    if (!read.ok) return read;
    const { meant } = read.value;
    const edited = editAll(meant, [{ key, value }, ...also]);
    if (!edited.ok) return edited;
    const next = edited.value;
    const changed = await replace(keys, read.value, next, role);
    if (changed.ok && next !== meant) remember({ keys, before: meant, after: next });
    return changed;
  }

  function editAll(before: Text, edits: readonly Edit[]): Result<string> {
    let text = before;
    for (const { key, value } of edits) {
      const wanted = value(inOwnWords(store.current().values, key, userValue(text, key)));
      if (!wanted.ok) return wanted;
      const unfit = refuseUnfit(settingsFile, key, wanted.value);
      if (unfit !== null) return unfit;
      text = editSetting(text, key, wanted.value);
    }
    return succeed(text ?? '{}\n');
  }

  function remember(change: Done): void {
    done.push(change);
    if (done.length > mostUndone) done.shift();
  }

  async function undoNow(role: Role): Promise<Result<SettingChange>> {
    const last = done.at(-1);
    if (last === undefined)
      return fail(
        'nothing-to-undo',
        'no setting was changed through this service since it started',
        'change it with: sotto config set KEY VALUE',
      );
    const read = readText(settingsFile);
    if (!read.ok) return read;
    const meant = store.meaning(read.value);
    const next = textBefore(last, meant);
    if (next === null) {
      done.pop();
      return fail(
        'settings-changed',
        `"${last.keys.join('" or "')}" was changed again since, by hand`,
        'see: sotto config show',
        last.keys[0],
      );
    }
    const undone = await replace(last.keys, { found: read.value, meant }, next, role);
    if (undone.ok) done.pop();
    return undone;
  }

  function restoreNow(): Result<{ file: string }> {
    const read = readText(settingsFile);
    if (!read.ok) return read;
    const meant = store.meaning(read.value);
    if (!store.vanished().includes(settingsFile) || meant === null) return nothingVanished();
    const written = writeOver(settingsFile, read.value, meant);
    if (!written.ok) return written;
    store.reload(meant);
    return succeed({ file: settingsFile });
  }

  async function acceptNow(): Promise<Result<{ files: string[] }>> {
    const files = [...store.vanished()];
    if (files.length === 0) return nothingVanished();
    const { effective, problems } = store.considerAccepting();
    if (effective === null) return invalid(problems);
    const adopted = await adopt(effective);
    if (!adopted.ok) return adopted;
    store.accept();
    store.reload();
    keep();
    return succeed({ files });
  }

  return {
    restore: () => inTurn(async () => restoreNow()),
    accept: () => inTurn(acceptNow),
    revision() {
      const read = readText(settingsFile);
      return revisionOf(read.ok ? read.value : null);
    },
    edit: (wanted) => inTurn(() => editNow(wanted)),
    undo: (role) => inTurn(() => undoNow(role)),
  };
}

/**
 * The previous text, where nobody has changed the file since; else the present text with the old values. Null: one of them was
 * changed again.
 */
function textBefore({ keys, before, after }: Done, now: Text): string | null {
  if (now === after) return before ?? '{}\n';
  if (keys.some((key) => !isDeepStrictEqual(userValue(now, key), userValue(after, key))))
    return null;
  return keys.reduce<string>(
    (text, key) => editSetting(text, key, userValue(before, key)),
    now ?? '{}\n',
  );
}

function userValue(text: Text, key: SettingKey): unknown {
  if (text === null) return undefined;
  const { value } = parseSettingsText('', text);
  return key
    .split('.')
    .reduce<unknown>(
      (object, field) => (object as Record<string, unknown> | undefined)?.[field],
      value,
    );
}

/** The file's own value, where it has a usable one, with paths as written there. An empty list stands for a default. */
function inOwnWords(values: FlatSettings, key: SettingKey, own: unknown): FlatSettings {
  const isEmpty = own === undefined || (Array.isArray(own) && own.length === 0);
  const usable = !isEmpty && settingDeclarations[key].schema.safeParse(own).success;
  return usable ? { ...values, [key]: own } : values;
}

function previousOf(value: unknown): SettingChange['previous'] {
  return { set: value !== undefined, value: (value ?? null) as EffectiveSetting['value'] };
}

function nothingVanished(): Result<never> {
  return fail(
    'nothing-vanished',
    'no settings file has vanished',
    'see what holds, and where it stands: sotto config show',
  );
}

/** The value by itself, as it would be found in the file. */
function refuseUnfit(file: string, key: SettingKey, value: unknown): Result<never> | null {
  if (value === undefined) return null;
  const checked = settingDeclarations[key].schema.safeParse(value);
  if (checked.success) return null;
  const problems = readIssues(checked.error).map(({ path, reason }) => ({
    ...{ file, line: null, reason },
    path: writePath([...key.split('.'), ...path]),
  }));
  return invalid(problems);
}

function refuseLocked(key: SettingKey, { sources }: EffectiveSettings): Result<never> | null {
  const { locked, lockedBy, file, reason } = sources[key];
  if (!locked) return null;
  return fail(
    'setting-locked',
    `"${key}" is locked by ${lockedBy} (${file})${reason === null ? '' : `: ${reason}`}`,
    'ask whoever administers this machine',
    key,
  );
}

function refuseLoosening(
  key: SettingKey,
  before: EffectiveSettings,
  after: EffectiveSettings,
  role: Role,
): Result<never> | null {
  if (role === 'administer') return null;
  const [was, is] = [before.values[key], after.values[key]];
  const loosens = loosensProtection(key, was, is);
  if (!loosens && !disruptsOthers(key, was, is)) return null;
  const effect = loosens
    ? 'it takes protection away'
    : 'it erases, stops or takes what others rely on';
  return fail(
    'forbidden',
    `only an administrator may change "${key}" this way, because ${effect}; you have the role ${role}`,
    loosens ? 'ask an administrator, or choose a stricter value' : 'ask an administrator',
    key,
  );
}

export function unknownSetting(key: string): Result<never> {
  return fail(
    'unknown-setting',
    `there is no setting ${JSON.stringify(key)}`,
    'see all of them with: sotto config show',
    'key',
  );
}

function isSettingKey(key: string): key is SettingKey {
  return (settingKeys as readonly string[]).includes(key);
}
