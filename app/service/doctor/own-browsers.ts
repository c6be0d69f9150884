/** What the browsers of the person who runs this process do: the machine's service may not read what people have at home. */
import { homedir, userInfo } from 'node:os';
import type { CoverageRow } from '../../contract/system/coverage.ts';
import { findBrowsersPast } from '../system-dns/coverage/browsers.ts';
import { rowOfFinding } from '../system-dns/coverage/map-rows.ts';
import { systemFiles } from '../system-dns/coverage/read-files.ts';

export function rowsOfOwnBrowsers(now: number): CoverageRow[] {
  const user = userInfo().username;
  return findBrowsersPast(systemFiles, homedir()).map((finding) => ({
    ...rowOfFinding(finding, null, now),
    user,
  }));
}
