/** The table of each campaign's last run, docs/measurements/campaigns.md. */
import { type Campaign, campaigns } from './campaigns.ts';

export interface Result {
  script: string;
  /** "passed", or "failed" */
  verdict: string;
  /** 2026-01-31, in UTC */
  date: string;
  commit: string;
}

/** From then on a result says little about what is there now. */
const oldAfterDays = 14;

/** A campaign without a row, and one whose row cannot be read, never ran. */
export function readResults(table: string): Result[] {
  return table.split('\n').flatMap((line) => {
    const row =
      /^\| `npm run (\S+)[^`]*` \|.*\| (passed|failed) \| (\d{4}-\d\d-\d\d) \| ([0-9a-f]+) \|$/;
    const [, script, verdict, date, commit] = row.exec(line) ?? [];
    if (!script || !verdict || !date || !commit) return [];
    return [{ script, verdict, date, commit }];
  });
}

export function withResult(results: readonly Result[], result: Result): Result[] {
  return [...results.filter(({ script }) => script !== result.script), result];
}

export function commandOf({ script, options }: Campaign): string {
  return ['npm run', script, ...(options.length > 0 ? ['--', ...options] : [])].join(' ');
}

export function writeResults(results: readonly Result[]): string {
  const rows = campaigns.map((campaign) => {
    const last = results.find(({ script }) => script === campaign.script);
    const told = last ? [last.verdict, last.date, last.commit] : ['never ran', '', ''];
    return `| \`${commandOf(campaign)}\` | ${[campaign.shows, ...told].join(' | ')} |`;
  });
  return `# Campaigns

What is too long, too statistical or too heavy for every change. \`npm run test:campaign\` runs all of them, or those that are named, and
writes this table; a quiet machine and root are needed. \`npm test\` names those whose last run is older than ${oldAfterDays} days, and fails for none.

| campaign | what it shows | last run | on | commit |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

/** One line for each that did not pass lately. */
export function whatIsOld(results: readonly Result[], today: Date): string[] {
  return campaigns.flatMap((campaign) => {
    const last = results.find(({ script }) => script === campaign.script);
    const days = last ? Math.floor((today.getTime() - Date.parse(last.date)) / 86_400_000) : null;
    if (days !== null && days <= oldAfterDays && last?.verdict === 'passed') return [];
    const why = days === null ? 'never ran' : `${last?.verdict} ${days} days ago`;
    return [`  ${commandOf(campaign)}: ${why}`];
  });
}
