/** The service's settings, read anew on every connection and after every change made here. */
import type { Failure, Result } from '../../../app/contract/errors.ts';
import type {
  DescribedSetting,
  EffectiveSetting,
  GroupMember,
  SettingChange,
} from '../../../app/contract/settings/settings-methods.ts';
import type { Session } from '../../state/session.ts';
import { createStore, type Readable } from '../../state/store.ts';
import type { SettingJson } from './setting-control.ts';

/** A setting's declaration, with its value in force. */
export type Setting = DescribedSetting & Omit<EffectiveSetting, keyof DescribedSetting>;

export interface KnownSettings {
  /** null: not known yet */
  settings: readonly Setting[] | null;
  /** why they are not known */
  failure: Failure | null;
}

export interface SettingsStore extends Readable<KnownSettings> {
  /** `members`: of groups, where theirs change */
  set(
    key: string,
    value: SettingJson,
    members?: readonly GroupMember[],
  ): Promise<Result<SettingChange>>;
  reset(key: string): Promise<Result<SettingChange>>;
  undo(): Promise<Result<SettingChange>>;
  close(): void;
}

export function followSettings(session: Session): SettingsStore {
  const store = createStore<KnownSettings>({ settings: null, failure: null });
  /** of the file that the page shows */
  let ifRevision: string | undefined;

  async function load(): Promise<void> {
    const [declared, inForce] = await Promise.all([
      session.call('settings.describe', {}),
      session.call('settings.effective', {}),
    ]);
    const failed = [declared, inForce].find((answer) => !answer.ok);
    if (failed?.ok === false) store.set({ ...store.get(), failure: failed.failure });
    if (!declared.ok || !inForce.ok) return;
    ifRevision = inForce.value.revision;
    store.set({
      settings: joined(declared.value.settings, inForce.value.settings),
      failure: null,
    });
  }

  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, because each change names the revision that the one before left. */
  function inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  /** Whether it worked or not, the page then shows the values in force. */
  function change(begin: () => Promise<Result<SettingChange>>): Promise<Result<SettingChange>> {
    return inTurn(async () => {
      const done = await begin();
      await load();
      return done;
    });
  }

  function look(): void {
    if (session.state.get().is === 'connected') void inTurn(load);
  }

  look();
  const close = session.state.subscribe(look);
  const guarded = () => (ifRevision === undefined ? {} : { ifRevision });
  return {
    get: store.get,
    subscribe: store.subscribe,
    set: (key, value, members = []) =>
      change(() =>
        session.call('settings.set', {
          key,
          value,
          ...guarded(),
          ...(members.length === 0 ? {} : { members: [...members] }),
        }),
      ),
    reset: (key) => change(() => session.call('settings.reset', { key, ...guarded() })),
    undo: () => change(() => session.call('settings.undo', {})),
    close,
  };
}

function joined(
  declared: readonly DescribedSetting[],
  inForce: readonly EffectiveSetting[],
): Setting[] {
  const values = new Map(inForce.map((setting) => [setting.key, setting]));
  return declared.flatMap((declaration) => {
    const now = values.get(declaration.key);
    return now === undefined ? [] : [{ ...now, ...declaration }];
  });
}
