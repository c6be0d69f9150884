/** What a fix does, and what came of it. Pure. */
import { fixSentences } from '../../../app/contract/sentences/fixes.ts';
import type { Said } from '../../../app/contract/sentences/sentence.ts';
import { fill } from '../../../app/contract/sentences/sentence-template.ts';
import { type CoverageFix, coverageFixes } from '../../../app/contract/system/coverage-fixes.ts';

/** null: the service is newer than this page. */
export function readFix(name: string | null): CoverageFix | null {
  return coverageFixes.find((known) => known === name) ?? null;
}

export function programOf(fix: CoverageFix): string {
  return programs[fix];
}

/** For an administrator with a terminal. */
export function commandOf(fix: CoverageFix): string {
  return `sudo sotto fix ${fix}`;
}

export function fixInEnglish({ code, params }: Said): string {
  const sentences: Readonly<Record<string, string>> = fixSentences;
  return fill(sentences[code] ?? '', params, { plain: String });
}

const programs: Readonly<Record<CoverageFix, string>> = {
  firefox: 'Firefox',
  chromium: 'Chromium',
  chrome: 'Chrome',
  edge: 'Edge',
  brave: 'Brave',
  'network-manager': 'NetworkManager',
  docker: 'Docker',
};
