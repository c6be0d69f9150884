/** Which test files cost the processor most: whoever wants a shorter run begins there. */
import { inRoot } from './places.mjs';

export const costsFile = inRoot('target', 'vitest-costs.jsonl');

const shown = 20;

/** `text`: one cost a line, of files in any order. */
export function dearest(text: string): string[] {
  const costs = text
    .split('\n')
    .filter(Boolean)
    .map((line): { file: string; seconds: number } => JSON.parse(line))
    .sort((a, b) => b.seconds - a.seconds);
  if (costs.length <= shown) return [];
  const sum = (list: typeof costs) => list.reduce((total, { seconds }) => total + seconds, 0);
  return [
    `\nProcessor seconds: ${Math.round(sum(costs))} in ${costs.length} files, ${Math.round(sum(costs.slice(0, shown)))} in these ${shown}:`,
    ...costs
      .slice(0, shown)
      .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${file}`),
  ];
}
