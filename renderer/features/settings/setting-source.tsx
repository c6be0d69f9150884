/** Who set the value in force, who locked it and why, and the default. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { LockLine } from '../../components/lock-line.tsx';
import { linkTo } from '../../state/route.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { sayDefault } from './setting-words.ts';
import type { Setting } from './settings-store.ts';

export function SourceOf({ setting }: { setting: Setting }) {
  const { text } = useWords();
  const { source, locked, lockedBy } = setting;
  const { sources } = text.settings;
  const file = <code title={safe(source.file ?? '')}>{safe(nameOf(source.file))}</code>;
  const who = <strong>{safe(lockedBy ?? '')}</strong>;
  const profile = <a href={linkTo('profiles')}>{text.settings.profile}</a>;
  const said = {
    default: sources.default,
    user: sources.user,
    profile: sources.profile,
    policy: lockedBy === null || locked ? sources.policy : sources.policyOf,
  }[source.layer];
  return (
    <>
      <LockLine of={setting} />
      <span>
        <Rich of={said} file={file} who={who} profile={profile} />
      </span>
    </>
  );
}

export function DefaultOf({ setting, unit }: { setting: Setting; unit: string | null }) {
  const { text, formats } = useWords();
  if (setting.source.layer === 'default') return null;
  const value = sayDefault(setting, { text, formats });
  return (
    <span>
      <Rich
        of={text.settings.default}
        value={
          <>
            {value}
            {unit === null ? '' : ` ${safe(unit)}`}
          </>
        }
      />
    </span>
  );
}

/** The last part of a path; the title has the whole. */
function nameOf(file: string | null): string {
  return file?.split(/[\\/]/).at(-1) ?? '';
}
