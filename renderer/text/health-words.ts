/** The name, meaning and remedy of a health issue: in English as the contract registers it, in other languages from here. */
import { type HealthIssue, healthIssueKinds } from '../../app/contract/status/health-issue.ts';
import type { Language } from './catalogue.ts';
import { germanFor } from './loaded.ts';

export interface HealthWords {
  title: string;
  meaning: string;
  /** the service's details, in English; `says` of the issue has their codes. Empty where there are none */
  detail: string;
  remedy: string;
}

export function wordsForIssue(issue: HealthIssue, language: Language): HealthWords {
  const { code, title, text, remedy } = issue;
  const meaning = healthIssueKinds[code].text('').trim();
  const known = text.startsWith(meaning);
  const detail = known ? text.slice(meaning.length).trim() : text;
  const german = germanFor(language);
  if (german !== null) return { ...german.healthIssues[code], detail };
  return { title, meaning: known ? meaning : '', detail, remedy };
}
