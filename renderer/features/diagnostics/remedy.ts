/** A finding's remedy, where this page knows the method: it calls no method just because a finding names it. Pure. */

import { misfit } from '../../../app/contract/fitting/misfit.ts';
import type { Params } from '../../../app/contract/service-api.ts';
import type { Finding, RemedyAction } from '../../../app/contract/status/finding.ts';
import type { PageName } from '../../text/catalogue.ts';

const known = [
  'protection.on',
  'consent.retry',
  'upstream.test',
  'upstream.retry',
  'network.set',
  'coverage.fix',
  'settings.restore',
  'portal.open',
  'system.take',
  'system.giveBack',
] as const;
type Known = (typeof known)[number];

export type Remedy = { [Name in Known]: { method: Name; params: Params<Name> } }[Known];

/** null: only a person can carry it out, or the service is newer than this page. */
export function readRemedy(action: RemedyAction | null): Remedy | null {
  const method = known.find((name) => name === action?.method);
  if (method === undefined || action === null) return null;
  const { params } = action;
  if (misfit('params', method, params) !== null) return null;
  const remedy = { method, params } as Remedy;
  return loosens(remedy) ? null : remedy;
}

/** Of networks, an examination may only ask to be stricter on the present one. */
function loosens(remedy: Remedy): boolean {
  if (remedy.method !== 'network.set') return false;
  const { policy, ...rest } = remedy.params;
  return policy !== 'refuse' || Object.keys(rest).length > 0;
}

/** These only look again, and what a person has to do stands in the words. */
const looksAgain: readonly Known[] = ['upstream.test', 'upstream.retry'];

/** Whether the words, in English, say more than the button, the page or the command beside them. */
export function needsWords(words: string, remedy: Remedy | null, page: PageName | null): boolean {
  if (remedy !== null) return looksAgain.includes(remedy.method);
  if (page !== null) return page !== 'home';
  return !/^[\w ]+: [\w. -]+$/.test(words) || commandsIn(words).length === 0;
}

const pages: Readonly<Record<string, PageName>> = {
  upstream: 'providers',
  'upstreams-disagree': 'providers',
  'upstream-retired': 'providers',
  'upstream-ended': 'providers',
  'queries-in-cleartext': 'providers',
  consent: 'home',
  'names-claimed': 'exceptions',
  'wide-rule': 'exceptions',
  loops: 'exceptions',
  'query-log': 'settings',
  disk: 'settings',
  'profile-waits': 'profiles',
  'profile-expired': 'profiles',
  'profile-undelivered': 'profiles',
};

/** The page on which a person can do something about it. */
export function pageFor({ check, verdict }: Pick<Finding, 'check' | 'verdict'>): PageName | null {
  return verdict !== 'ok' && Object.hasOwn(pages, check) ? (pages[check] ?? null) : null;
}

/** Whole commands that a remedy names in English, to be copied; none with a gap that a person has to fill. */
export function commandsIn(remedy: string): string[] {
  const quoted = [...remedy.matchAll(/"((?:sudo )?sotto[^"]*)"/g)].map(([, command]) => command);
  const atEnd = /: ((?:sudo )?sotto[\w. -]*|resolvectl [\w. -]+)$/.exec(remedy)?.[1];
  const commands = [...quoted, atEnd].filter((command) => command !== undefined);
  return [...new Set(commands)].filter(
    (command) => isPlain.test(command) && !/\b[A-Z]{3,}\b/.test(command),
  );
}

const isPlain = /^[\w./ -]+$/;
