/**
 * Loaded into the service before it starts, by the trials alone (NODE_OPTIONS=--import=…): at SIGUSR2 the process dies in the way
 * that the file $SOTTO_TRIAL_FAULT names. The program itself contains nothing of this.
 */
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import workers from 'node:worker_threads';

/** @type {workers.Worker[]} */
const started = [];
workers.Worker = class extends workers.Worker {
  /** @param {ConstructorParameters<typeof workers.Worker>} given */
  constructor(...given) {
    super(...given);
    started.push(this);
  }
};
syncBuiltinESMExports();

/** @type {Record<string, () => void>} */
const faults = {
  exception: () =>
    setImmediate(() => {
      throw new Error('a trial');
    }),
  rejection: () => void Promise.reject(new Error('a trial')),
  // The process also has --max-old-space-size, so that its memory is soon full.
  memory: () => {
    for (const kept = [new Array(1)]; ; ) kept.push(new Array(2 ** 20).fill(kept));
  },
  abort: () => process.abort(),
  'worker ends': () => void started.at(-1)?.terminate(),
  'worker throws': () => started.at(-1)?.postMessage({ kind: 'batch', octets: null }),
};

const file = process.env['SOTTO_TRIAL_FAULT'] ?? '';
if (workers.isMainThread)
  process.on('SIGUSR2', () => faults[readFileSync(file, 'utf8').trim()]?.());
