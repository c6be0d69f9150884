/** What a health issue is called, means and asks for: in English as the contract registers it, in other languages as said here. */
import { type HealthIssue, healthIssueKinds } from '../../app/contract/status/health-issue.ts';
import type { Language } from './catalogue.ts';
import { healthIssues as german } from './de/health-issues.ts';

export interface HealthWords {
  title: string;
  meaning: string;
  /** what the service found, in English; `says` of the issue has it by codes. Empty where it says no more */
  detail: string;
  remedy: string;
}

export function wordsForIssue(issue: HealthIssue, language: Language): HealthWords {
  const { code, title, text, remedy } = issue;
  const meaning = healthIssueKinds[code].text('').trim();
  const known = text.startsWith(meaning);
  const detail = known ? text.slice(meaning.length).trim() : text;
  if (language === 'de') return { ...german[code], detail };
  return { title, meaning: known ? meaning : '', detail, remedy };
}
