/** Groups with the providers that answer for them: neither is accepted without the other, so both change in one step. */
import { useEffect, useId, useState } from 'react';
import type { GroupMember } from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../text/use-text.ts';
import { type Grouped, lacking, membersOf, withGroups, withMember } from './group-members.ts';
import { MapEditor } from './map-editor.tsx';
import type { ControlKind, SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { ValueEditor } from './value-editor.tsx';

interface GroupsEditorProps {
  id: string;
  control: ControlKind<'map'>;
  value: SettingJson;
  /** the value of the setting "upstreams" */
  upstreams: SettingJson;
  disabled: boolean;
  isWrong: boolean;
  onSet(value: SettingJson, members: readonly GroupMember[]): Promise<boolean>;
}

export function GroupsEditor(props: GroupsEditorProps) {
  const { id, control, value, upstreams, disabled, isWrong, onSet } = props;
  const { text } = useWords();
  const before: Grouped = { groups: value, members: membersOf(upstreams) };
  const inForce = JSON.stringify(before);
  const [draft, setDraft] = useState(before);
  // What came into force meanwhile replaces the draft.
  useEffect(() => setDraft(JSON.parse(inForce) as Grouped), [inForce]);
  const changed = JSON.stringify(draft) !== inForce;
  const missing = changed ? lacking(draft) : null;

  async function save(): Promise<void> {
    if (missing !== null) return;
    const members = draft.members.filter(
      ({ upstream, group }) =>
        before.members.find((one) => one.upstream === upstream)?.group !== group,
    );
    await onSet(draft.groups, members);
  }

  return (
    <form
      className={styles.typed}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <MapEditor
        name="groups"
        control={control}
        value={draft.groups}
        disabled={disabled}
        attributes={{
          'aria-labelledby': `${id}-label`,
          'aria-describedby': `${id}-about${isWrong ? ` ${id}-problem` : ''}`,
        }}
        Inner={ValueEditor}
        besides={(group) => (
          <Members
            group={group}
            members={draft.members}
            disabled={disabled}
            onChange={(upstream, isMember) =>
              setDraft(withMember(draft, upstream, isMember ? group : null))
            }
          />
        )}
        onChange={(groups) => setDraft(withGroups(draft, groups))}
      />
      {missing === null ? null : (
        <p className={styles.problem} role="alert">
          {missing.is === 'provider'
            ? text.settingForms.members.missing(safe(missing.group))
            : text.settingForms.members.noneLeft}
        </p>
      )}
      {changed ? (
        <div className={styles.buttons}>
          <Button type="submit" variant="main" disabled={disabled || missing !== null}>
            {text.settings.save}
          </Button>
          <Button onClick={() => setDraft(before)}>{text.settings.discard}</Button>
        </div>
      ) : null}
    </form>
  );
}

interface MembersProps {
  group: string;
  members: readonly GroupMember[];
  disabled: boolean;
  onChange(upstream: string, isMember: boolean): void;
}

function Members({ group, members, disabled, onChange }: MembersProps) {
  const { text } = useWords();
  const id = useId();
  const words = text.settingForms.members;
  return (
    <fieldset className={styles.words} aria-labelledby={id} disabled={disabled}>
      <strong id={id}>{words.label}</strong>
      <p className={styles.quiet}>{words.hint}</p>
      {members.map(({ upstream, group: now }) => (
        <label key={upstream} className={styles.check}>
          <input
            type="checkbox"
            checked={now === group}
            onChange={(event) => onChange(upstream, event.currentTarget.checked)}
          />
          <span>{safe(upstream)}</span>
        </label>
      ))}
    </fieldset>
  );
}
