/**
 * The page to which a link among the words of a command leads: the form to join an organisation, filled in but for the fingerprint.
 * Any site and any program can open such a link, so it shows a page and does nothing else. Pure.
 */
import { readEnrolLink } from '../contract/settings/enrol-link.ts';

/** Home where there is no link, or one that is wrong. */
export function pageForLink(words: readonly string[]): string {
  const link = words.find((word) => word.startsWith('sotto:'));
  const asked = link === undefined ? null : readEnrolLink(link);
  if (asked === null) return 'home';
  const { source, address, ring, allow } = asked;
  const given = { source, address, ring, allow: allow?.join(',') };
  const filled = Object.entries(given).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return `profiles?${new URLSearchParams(filled)}`;
}
