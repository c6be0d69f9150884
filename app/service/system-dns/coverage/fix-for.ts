/** Which fix closes a coverage gap, if there is one. Pure. */
import type { CoverageFix } from '../../../contract/system/coverage-fixes.ts';

const browsers: Readonly<Record<string, CoverageFix>> = {
  Firefox: 'firefox',
  Chromium: 'chromium',
  Chrome: 'chrome',
  Edge: 'edge',
  Brave: 'brave',
};

/** A finding's code, and the program that it names; null: only a person can close it. */
export function fixFor(code: string, subject: string): CoverageFix | null {
  switch (code) {
    // A policy that asks for another resolver is its administrator's to take out, except Firefox's, of which there is one file.
    case 'browser-by-policy':
      return subject === 'Firefox' ? 'firefox' : null;
    case 'browser-by-choice':
      return browsers[subject] ?? null;
    case 'docker-leads-past':
    case 'docker-unable':
      return 'docker';
    case 'nameserver-leads-past':
      return 'network-manager';
    default:
      return null;
  }
}
