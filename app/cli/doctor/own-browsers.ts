/** What the browsers of the person who runs this command do: the machine's service may not read what people have at home. */
import { homedir, userInfo } from 'node:os';
import type { CoverageMap } from '../../contract/system/coverage.ts';
import { findBrowsersPast } from '../../service/system-dns/coverage/browsers.ts';
import { rowOfFinding } from '../../service/system-dns/coverage/map-rows.ts';
import { systemFiles } from '../../service/system-dns/coverage/read-files.ts';

export function withOwnBrowsers(map: CoverageMap): CoverageMap {
  const user = userInfo().username;
  const rows = findBrowsersPast(systemFiles, homedir())
    .map((finding) => ({ ...rowOfFinding(finding, null, map.at), user }))
    .filter(({ text }) => map.rows.every((row) => row.text !== text));
  return { ...map, rows: [...map.rows, ...rows] };
}
