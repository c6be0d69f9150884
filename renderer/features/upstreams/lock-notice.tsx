/** Says who has locked something here, and why. */
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Notice } from '../../components/notice.tsx';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';

export function LockNotice({ setting }: { setting: EffectiveSetting }) {
  const { text } = useWords();
  const { lockedBy, reason, source } = setting;
  const words = text.upstreams.lock;
  return (
    <Notice severity="info" title={words.title} remedy={words.remedy}>
      {lockedBy === null ? null : <p>{words.by(safe(lockedBy))}</p>}
      {reason === null ? null : <p>{safe(reason)}</p>}
      {source.file === null ? null : (
        <p>
          <Rich of={words.where} file={<code>{safe(source.file)}</code>} />
        </p>
      )}
    </Notice>
  );
}
