/** One setting: what it is for, its control, who set the value in force, and all of it under Details. */
import { type ReactNode, useId, useState } from 'react';
import type { Failure, Result } from '../../../app/contract/errors.ts';
import type {
  GroupMember,
  SettingChange,
} from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { offerUndo } from '../../components/undo-toast.tsx';
import { linkTo } from '../../state/route.ts';
import { useLive } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import type { PageName } from '../../text/catalogue.ts';
import { type SettingWords, wordsForSetting } from '../../text/declared-settings.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { GroupsEditor } from './groups-editor.tsx';
import { ProtectControl } from './protect-control.tsx';
import { controlFor, type SettingJson } from './setting-control.ts';
import { SettingDetails } from './setting-details.tsx';
import { SettingEditor } from './setting-editor.tsx';
import styles from './setting-line.module.css';
import { SettingProblem } from './setting-problem.tsx';
import { DefaultOf, SourceOf } from './setting-source.tsx';
import { sayPresent } from './setting-words.ts';
import type { Setting, SettingsStore } from './settings-store.ts';

/** Lists that are edited on a page of their own. */
const ownPages: Readonly<Record<string, PageName>> = {
  upstreams: 'providers',
  bypass: 'exceptions',
};

/** A value that the service refused, and why. */
interface Refused {
  failure: Failure;
  value: SettingJson | null;
}

export function SettingLine({ setting, store }: { setting: Setting; store: SettingsStore }) {
  const { text, language } = useWords();
  const live = useLive();
  const id = useId();
  const [refused, setRefused] = useState<Refused | null>(null);
  const words = wordsForSetting(setting, language);
  const control = controlFor(setting.schema);
  const isOwn = setting.key in ownPages || setting.key === 'systemDns.take';
  const isWide = !isOwn && (control.is === 'list' || control.is === 'map' || control.is === 'form');
  const disabled = setting.locked || !live;
  const label = safe(words.label);

  async function undo(): Promise<void> {
    const undone = await store.undo();
    if (undone.ok) toast('done', text.settings.undone(label));
    else tellFailure(undone.failure);
  }

  async function change(
    ask: Promise<Result<SettingChange>>,
    value: SettingJson | null,
  ): Promise<boolean> {
    setRefused(null);
    const done = await ask;
    if (done.ok) offerUndo(text.settings.saved(label), undo);
    else setRefused({ failure: done.failure, value });
    return done.ok;
  }

  const set = (value: SettingJson, members?: readonly GroupMember[]) =>
    change(store.set(setting.key, value, members), value);

  return (
    <li className={styles.line} id={`setting-${setting.key}`} data-wide={isWide}>
      <div className={styles.words} lang={words.language}>
        <h3 id={`${id}-label`}>{label}</h3>
        <p className={styles.help} id={`${id}-about`}>
          {safe(words.about ?? words.help)}
        </p>
      </div>
      <div className={styles.control}>
        <Own setting={setting} disabled={disabled}>
          {setting.key === 'groups' && control.is === 'map' ? (
            <GroupsEditor
              id={id}
              control={control}
              value={setting.value}
              upstreams={store.get().settings?.find(({ key }) => key === 'upstreams')?.value ?? []}
              disabled={disabled}
              isWrong={refused !== null}
              onSet={set}
            />
          ) : (
            <SettingEditor
              id={id}
              name={setting.key}
              control={control}
              value={setting.value}
              words={words}
              disabled={disabled}
              isWrong={refused !== null}
              onSet={set}
            />
          )}
        </Own>
        {refused === null ? null : (
          <SettingProblem id={`${id}-problem`} setting={setting} {...refused} />
        )}
      </div>
      <div className={styles.foot}>
        <SourceOf setting={setting} />
        <DefaultOf setting={setting} unit={words.unit} />
        <Reset
          setting={setting}
          words={words}
          disabled={disabled}
          onReset={() => void change(store.reset(setting.key), null)}
        />
        {setting.hidden ? null : (
          <SettingDetails
            setting={setting}
            words={words}
            control={control}
            hasForm={isWide}
            disabled={disabled}
            onSet={set}
          />
        )}
      </div>
    </li>
  );
}

/** Some settings are changed elsewhere, or with more than a control. */
function Own(props: { setting: Setting; disabled: boolean; children: ReactNode }) {
  const { setting, disabled, children } = props;
  const { text, formats } = useWords();
  if (setting.hidden) return <p>{sayPresent(setting, { text, formats })}</p>;
  const page = ownPages[setting.key];
  if (page !== undefined) return <OwnPage page={page} value={setting.value} />;
  if (setting.key === 'systemDns.take')
    return <ProtectControl on={setting.value === true} disabled={disabled} />;
  return children;
}

function OwnPage({ page, value }: { page: PageName; value: SettingJson }) {
  const { text, formats } = useWords();
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return (
    <p>
      {text.settings.entries(formats.count(size), size === 1)}
      <br />
      <Rich of={text.settings.ownPage} page={<a href={linkTo(page)}>{text.frame.pages[page]}</a>} />
    </p>
  );
}

interface ResetProps {
  setting: Setting;
  words: SettingWords;
  disabled: boolean;
  onReset(): void;
}

function Reset({ setting, words, disabled, onReset }: ResetProps) {
  const { text } = useWords();
  if (setting.source.layer !== 'user' || setting.locked) return null;
  return (
    <Button
      variant="quiet"
      className={styles.reset}
      disabled={disabled}
      aria-label={text.settings.resetOf(safe(words.label))}
      onClick={onReset}
    >
      {text.settings.reset}
    </Button>
  );
}
