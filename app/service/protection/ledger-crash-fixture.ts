/** Opens an entry for each line of input, reports it, and waits to be killed. A test runs it with: FILE. */
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
