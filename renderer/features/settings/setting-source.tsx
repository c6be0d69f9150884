/** Who set the value in force, who locked it and why, and the default. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './setting-line.module.css';
import { sayDefault } from './setting-words.ts';
import type { Setting } from './settings-store.ts';

export function SourceOf({ setting }: { setting: Setting }) {
  const { text } = useWords();
  const { source, locked, lockedBy, reason } = setting;
  const { sources } = text.settings;
  const file = <code title={safe(source.file ?? '')}>{safe(nameOf(source.file))}</code>;
  const who = lockedBy === null ? text.settings.someone : <strong>{safe(lockedBy)}</strong>;
  const said = {
    default: sources.default,
    user: sources.user,
    profile: sources.profile,
    policy: lockedBy === null || locked ? sources.policy : sources.policyOf,
  }[source.layer];
  return (
    <>
      {locked ? (
        <span className={styles.lock}>
          <svg className={styles.lockMark} viewBox="0 0 12 12" aria-hidden="true">
            <path d="M3 5.5V4a3 3 0 0 1 6 0v1.5M2 5.5h8v5H2Z" />
          </svg>
          <span>
            <Rich
              of={reason === null ? text.settings.locked : text.settings.lockedBecause}
              who={who}
              reason={safe(reason ?? '')}
            />
          </span>
        </span>
      ) : null}
      <span>
        <Rich of={said} file={file} who={who} />
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
