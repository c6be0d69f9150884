/** Opens an entry for each line it is told, says so, and waits to be killed. Run by a test: FILE. */
import { createInterface } from 'node:readline';
import { openLedger } from './ledger.ts';

const ledger = openLedger(process.argv[2] ?? '', Date.now);
console.log('ready');
for await (const rule of createInterface({ input: process.stdin })) {
  const { id } = ledger.open({
    class: 'bypass',
    network: 'cafe',
    networkLabel: 'the café',
    group: '',
    rule,
    reason: 'a test',
    who: 'a test',
    until: null,
  });
  console.log(id);
}
