import { markdownTable } from '../markdown-table.ts';

export interface Counted {
  file: string;
  runs: number;
  failed: number;
}

/** One count a file. */
export function counted(runs: readonly Counted[]): Counted[] {
  const files = Map.groupBy(runs, ({ file }) => file);
  return [...files]
    .map(([file, those]) => ({
      file,
      runs: those.reduce((sum, one) => sum + one.runs, 0),
      failed: those.reduce((sum, one) => sum + one.failed, 0),
    }))
    .sort((a, b) => b.failed - a.failed || (a.file < b.file ? -1 : 1));
}

/** Files that failed one by one, all others together. */
export function report(files: readonly Counted[]): string {
  const failing = files.filter(({ failed }) => failed > 0);
  const runs = files.map((one) => one.runs);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return `# Tests on a machine that is slow on purpose

The test files ran by \`npm run lab:slow-machine\`, forty in each run of vitest, while every processor had a busy loop beside it, a program had the disk
confirm every write, and all their processes stood still for 0.1 to 3 s at random moments, a third of a second to six seconds apart.

${files.length} files in ${sum(runs)} runs, at least ${Math.min(...runs)} of each; ${failing.length} failed ${sum(files.map(({ failed }) => failed))} times.

${
  failing.length === 0
    ? 'No file failed.'
    : markdownTable(
        ['file', 'runs', 'failed'],
        failing.map((one) => [one.file, `${one.runs}`, `${one.failed}`]),
      )
}
`;
}
