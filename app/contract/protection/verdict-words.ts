/** A verdict as a headline and the sentences below it. Pure. */
import { inEnglish, type Said, say, type WriteTime } from '../sentences/sentence.ts';
import type { GoesAround, Verdict } from './verdict.ts';

export function headlineOf(verdict: Verdict): Said {
  if (verdict.is !== 'paused') return say(`headline-${verdict.is}`);
  return verdict.until === null
    ? say('headline-paused-until-restart')
    : say('headline-paused', { until: verdict.until });
}

/** Never empty. */
export function sentencesOf(verdict: Verdict): Said[] {
  switch (verdict.is) {
    case 'protected':
      return [
        say('verdict-protected', { upstream: verdict.upstream }),
        ...exceptionsOf(verdict.exceptions),
      ];
    case 'not-in-use':
      return notInUse(verdict);
    case 'partly':
      return besides(verdict);
    case 'connecting':
      return [connecting(verdict), ...besides(verdict)];
    case 'choose':
      return [say('verdict-choose', { upstream: verdict.upstream }), ...besides(verdict)];
    case 'unencrypted':
      return [unencrypted(verdict)];
    case 'blocked':
      return [
        say(verdict.by === 'contest' ? 'verdict-contested-closed' : 'verdict-blocked'),
        ...besides(verdict),
      ];
    case 'log-in':
      return [
        say(verdict.exceptions === 0 ? 'verdict-log-in' : 'verdict-log-in-waits'),
        ...besides(verdict),
      ];
    case 'paused':
    case 'off':
      return [say('verdict-asks-network')];
  }
}

/** "Protected. Quad9 answers this computer's queries, encrypted." */
export function verdictInEnglish(verdict: Verdict, writeTime?: WriteTime): string {
  return `${inEnglish(headlineOf(verdict), writeTime)}. ${inEnglish(sentencesOf(verdict), writeTime)}`;
}

type Of<Name extends Verdict['is']> = Extract<Verdict, { is: Name }>;

function notInUse({ works, reached, unencryptedSince: since }: Of<'not-in-use'>): Said[] {
  const asks = say(works ? 'verdict-not-in-use' : 'verdict-asks-elsewhere');
  if (since !== null) return [asks, say('verdict-reached-unencrypted', { since })];
  return works && reached ? [asks, say('verdict-reached')] : [asks];
}

function connecting({ waitsFor, upstream }: Of<'connecting'>): Said {
  if (waitsFor === 'look') return say('verdict-checking');
  return waitsFor === 'link' ? say('verdict-no-link') : say('verdict-connecting', { upstream });
}

function unencrypted({ by, since, until }: Of<'unencrypted'>): Said {
  if (by === 'contest')
    return since === null ? say('verdict-contested') : say('verdict-contested-since', { since });
  if (since === null) return say('verdict-unencrypted');
  return until === null
    ? say('verdict-unencrypted-since', { since })
    : say('verdict-unencrypted-until', { since, until });
}

function besides({ contested, around, exceptions }: Omit<Of<'partly'>, 'is' | 'upstream'>): Said[] {
  const changes = contested ? [say('verdict-contested-again')] : [];
  return [...changes, ...aroundOf(around), ...countedOf(around), ...exceptionsOf(exceptions)];
}

function exceptionsOf(exceptions: number): Said[] {
  return exceptions === 0 ? [] : [say('verdict-exceptions', { exceptions })];
}

/** How many, of those whose packets are counted. */
function countedOf(around: readonly GoesAround[]): Said[] {
  const counted = around.filter(({ count }) => count !== undefined);
  if (counted.length === 0) return [];
  const count = counted.reduce((sum, one) => sum + (one.count ?? 0), 0);
  const since = Math.min(...counted.map((one) => one.since ?? Number.POSITIVE_INFINITY));
  return [say('verdict-around-counted', { count, since })];
}

/** Programs by their names, containers by their number; a person who wants addresses finds them in the details. */
function aroundOf(around: readonly GoesAround[]): Said[] {
  if (around.length === 0) return [];
  const named = around.filter(({ kind }) => kind !== 'container' && kind !== 'other');
  const names = [...new Set(named.map(({ name }) => name))];
  const containers = around.filter(({ kind }) => kind === 'container').length;
  const programs = names.join(', ');
  if (names.length > 0 && containers > 0)
    return [say('verdict-around-both', { programs, containers })];
  if (containers > 0) return [say('verdict-around-containers', { containers })];
  if (names.length > 0) return [say('verdict-around-programs', { programs, number: names.length })];
  return [say('verdict-around-some')];
}
