/** The one sentence that says what protects the user's queries right now. */
import { inEnglish, type Said, say, type WriteTime } from '../sentences/sentence.ts';
import type { ProtectionState } from './protection-state.ts';

export function protectionSentence(protection: ProtectionState, writeTime: WriteTime): string {
  return inEnglish(sayProtection(protection), writeTime);
}

function sayProtection(protection: ProtectionState): Said {
  switch (protection.state) {
    case 'off':
      return say('state-off');
    case 'starting':
      return say('state-starting', { upstream: protection.upstream });
    case 'private':
      return say('state-private', { upstream: protection.upstream, tls: protection.tls });
    case 'asking':
      return say('state-asking', { upstream: protection.upstream });
    case 'exposed': {
      const { since, until, consent } = protection;
      return until === null
        ? say('state-exposed', { since, consent })
        : say('state-exposed-until', { since, consent, until });
    }
    case 'refusing':
      return say('state-refusing', { why: protection.why });
    case 'portal':
      return say('state-portal');
    case 'paused':
      return protection.until === null
        ? say('state-paused-until-restart')
        : say('state-paused', { until: protection.until });
  }
}
