/** Summaries as they were written. A reader remembers those it has read, because every search goes through all of them. */
import type { BlockSummary } from './block-summary.ts';

/** Some twenty-five megabytes, of ten million rows. */
const mostRemembered = 10_000;

const remembered = new Map<number, { text: string; summary: BlockSummary }>();

/** Remembered by their text, so that a changed summary is read anew. */
export function readSummary(block: number, text: string): BlockSummary {
  const known = remembered.get(block);
  if (known?.text === text) return known.summary;
  const summary = JSON.parse(text) as BlockSummary;
  if (remembered.size >= mostRemembered) remembered.clear();
  remembered.set(block, { text, summary });
  return summary;
}
