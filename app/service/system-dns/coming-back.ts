/** Whether the service that is ending is started again at once: by a restart, or by an update of its package. */
import { statSync } from 'node:fs';
import { comingBackWord } from '../../contract/helper-protocol.ts';

/** As long as the helper waits for it (native/helper/src/orphaned.rs). */
const goodForMs = 60_000;

export function isComingBack(file: string = comingBackWord, now: number = Date.now()): boolean {
  const said = statSync(file, { throwIfNoEntry: false });
  return said !== undefined && now - said.mtimeMs < goodForMs;
}
