import type { Command } from 'commander';
import type { CoverageMap } from '../../contract/system/coverage.ts';
import { rowsOfOwnBrowsers } from '../../service/doctor/own-browsers.ts';
import type { CommandLine } from '../command-line.ts';
import { defineCall } from '../define-command.ts';
import { renderCoverage } from '../render/coverage.ts';

export function define(command: Command, line: CommandLine): void {
  defineCall(command, line, {
    examples: `  sotto coverage
  sotto coverage --json | jq -r '.rows[] | select(.weighs) | "\\(.name) \\(.count)"'`,
    more: `What goes around Sotto: who, where to, how often, since when, and what to do about it. Queries to port 53 and 853 are counted
by the kernel (counted), also those that were rejected; of connections over TCP the first packet. Connections to the addresses
of known resolvers are seen while they live (connection). What files of browsers and containers say is read (configured), yours
by this command itself. Queries of Sotto's own find out whether the system leads here (probed).
A mark at the left says that the row counts in the verdict "partly protected": at least three queries within ten minutes, in
at least two different minutes; or two times within three hours with more than ten minutes between them; or a connection that lives
for half a minute. One stray query is shown and changes nothing. Names of other users' programs are for administrators.`,
    method: 'coverage.map',
    say: (map) => renderCoverage(withOwnBrowsers(map)),
    data: withOwnBrowsers,
    without: 'without a service nothing is counted',
  });
}

function withOwnBrowsers(map: CoverageMap): CoverageMap {
  const own = rowsOfOwnBrowsers(map.at).filter(({ text }) =>
    map.rows.every((row) => row.text !== text),
  );
  return { ...map, rows: [...map.rows, ...own] };
}
