/**
 * A process that writes a log, for tests that kill it or take its disk away. Each line on stdin is a number of events
 * to record in one batch; each line on stdout is JSON: the log's status whenever it changes, and every health issue.
 */
import { createInterface } from 'node:readline';
import { encodeBatch, record } from './event-record-fixture.ts';
import { openQueryLog } from './query-log.ts';

const log = await openQueryLog({
  file: process.argv[2] ?? '',
  settings: { mode: 'full', programs: true, keepDays: 3650, maxMegabytes: 64 },
  onHealth: (health) => print({ health }),
});

let batches = 0;
let shown = '';

setInterval(() => {
  const status = log.status();
  if (JSON.stringify(status) === shown) return;
  shown = JSON.stringify(status);
  print({ status });
}, 5);

createInterface({ input: process.stdin })
  .on('line', (line) => {
    batches += 1;
    const events = Array.from({ length: Number(line) }, (_, index) =>
      record({ id: index, name: `${'long-'.repeat(10)}${batches}-${index}.example` }),
    );
    log.accept(encodeBatch(events));
  })
  .on('close', async () => {
    await log.close();
    process.exit(0);
  });

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
