/** One health issue: its meaning in the reader's language, and the service's details. */
import type { HealthIssue } from '../../app/contract/status/health-issue.ts';
import { safe } from '../../app/contract/text/visible-text.ts';
import { linkTo } from '../state/route.ts';
import { wordsForIssue } from '../text/health-words.ts';
import { useWords } from '../text/use-text.ts';
import { Notice } from './notice.tsx';
import { Told } from './told.tsx';

export function IssueNotice({ issue }: { issue: HealthIssue }) {
  const { language } = useWords();
  const { title, meaning, detail, remedy } = wordsForIssue(issue, language);
  // Two problems of one file come as two lines, which name the file's own fields.
  const lines = detail.split('\n').filter(Boolean);
  return (
    <Notice
      severity={issue.severity}
      title={safe(title)}
      remedy={safe(remedy)}
      {...(issue.code.startsWith('profile-') ? { actions: <ToProfiles /> } : {})}
    >
      {meaning === '' ? null : <p>{safe(meaning)}</p>}
      {lines.map((line) => (
        <p key={line}>
          <Told english={line} says={issue.says} />
        </p>
      ))}
    </Notice>
  );
}

function ToProfiles() {
  const { text } = useWords();
  return <a href={linkTo('profiles')}>{text.frame.palette.goTo(text.frame.pages.profiles)}</a>;
}
