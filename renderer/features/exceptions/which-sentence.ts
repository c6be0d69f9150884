/** Which sentence says what would happen to a name. Pure; the catalogue has the texts. */
import type { Explanation } from '../../../app/contract/settings/rule-methods.ts';
import type { Text } from '../../text/catalogue.ts';

type Sentence = keyof Text['exceptions']['explain']['sentences'];

export function whichSentence(said: Explanation): Sentence {
  const isSent = said.clear !== 'none' && said.servers.length > 0;
  switch (said.verdict) {
    case 'local':
      return 'local';
    case 'bypass':
      if (said.reason !== '') return 'bypassUnknown';
      if (said.servers.length === 0) return 'bypassLoop';
      return isSent ? 'bypass' : 'bypassClosed';
    case 'direct':
      return isSent ? 'direct' : 'directRefused';
    case 'portal':
      return 'portal';
    case 'forward':
      return forwarded(said);
  }
}

function forwarded({ cached, servers, clear }: Explanation): Sentence {
  if (cached === 'fresh') return 'cached';
  if (cached !== null) return cached;
  if (servers.length === 0) return 'noUpstream';
  return clear === 'policy' ? 'clear' : 'private';
}
