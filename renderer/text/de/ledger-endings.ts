import type { LedgerEnding } from '../../../app/contract/protection/ledger-words.ts';

export const ledgerEndings: Readonly<Record<LedgerEnding, string>> = {
  'network-changed': 'anderes Netz',
  'time-over': 'Zeit abgelaufen',
  'private-again': 'eine verschlüsselte Verbindung besteht wieder',
  'rule-gone': 'ihre Ausnahme gilt nicht mehr',
  'not-wanted': 'nicht mehr gewünscht',
  interrupted: 'unterbrochen',
  'runs-again': 'Sotto läuft wieder',
  'asked-again': 'das System fragt wieder Sotto',
  asked: 'gefragt',
  'switched-on': 'eingeschaltet durch {who:setter}',
  'switched-off': 'ausgeschaltet durch {who:setter}',
  paused: 'pausiert durch {who:setter}',
};
