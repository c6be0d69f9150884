/**
 * Keeps a dnstap reader supplied: connects to its socket, again after it went, and counts what it did not get. Nothing waits for
 * it, neither a query nor the query log.
 */
import type { Socket } from 'node:net';
import type { TapListener } from '../query-log/query-log.ts';
import { type FrameStream, openFrameStream } from './frame-stream.ts';

export interface DnstapParts {
  path: string;
  /** Why this reader may have no names; null: it may. */
  whyNot(socket: Socket): string | null;
  /** Begins to hand over frames, the log's mode applied. The function returned ends that. */
  tap(listener: TapListener): () => void;
  counts: DnstapCounts;
  /** Null: a reader has been found. A text: why there has been none for a while. */
  onTrouble(why: string | null): void;
}

export interface DnstapCounts {
  sent: number;
  dropped: number;
}

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** A reader that is being restarted is no trouble. */
const patientFailures = 3;

/** The function returned ends it. */
export function startDnstap(parts: DnstapParts): () => Promise<void> {
  const { path, whyNot, tap, counts, onTrouble } = parts;
  let stream: FrameStream | null = null;
  let timer: NodeJS.Timeout | null = null;
  let failures = 0;
  let isEnding = false;

  function begin(): void {
    stream = openFrameStream({
      path,
      whyNot,
      onOpen() {
        failures = 0;
        onTrouble(null);
      },
      onEnd(why) {
        stream = null;
        if (isEnding) return;
        failures += 1;
        if (failures >= patientFailures) onTrouble(why ?? '');
        const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1));
        timer = setTimeout(begin, waitMs).unref();
      },
    });
  }

  const endTap = tap((frames, count, leftOut) => {
    counts.dropped += leftOut;
    if (stream?.send(frames) === true) counts.sent += count;
    else counts.dropped += count;
  });
  begin();
  return async () => {
    isEnding = true;
    if (timer !== null) clearTimeout(timer);
    endTap();
    await stream?.end();
  };
}
