/** Sentences about a login page, and about what prevents a login. */
import { fail, type Result } from '../../contract/errors.ts';
import type { Found } from './portal-watch.ts';
import { type WatchFacts, watchStep } from './watch-step.ts';

export function sayPrivate({ upstream }: { upstream: string }): string {
  return `${upstream} can be reached privately: there is nothing to log in to.`;
}

export function sayFound(facts: WatchFacts, found: Found | null): string {
  const step = watchStep(facts);
  if (step === 'private') return 'A private path works now.';
  if (step === 'aside') return `Nothing was looked for: ${whyAside(facts)}.`;
  if (found === null) return 'No login page was found, and no private path works.';
  return 'No private path works until somebody has logged in.';
}

function whyAside({ on, detect }: WatchFacts): string {
  if (!on) return 'Sotto is off or paused';
  return detect ? 'no network leads anywhere from here' : 'the setting portal.detect is off';
}

export function setAside(): Result<never> {
  return fail('no-portal', 'the login page was set aside', 'look at it again: sotto portal check');
}

export function noLogin(): Result<never> {
  return fail('no-portal', 'no login page is known here', 'look for one: sotto portal check');
}

export function otherSite(site: string | null): Result<never> {
  const message = `the portal answers with ${site ?? 'no site of its own'}`;
  return fail('site-refused', message, 'look at it again: sotto portal status', 'site');
}

export function notInForce(): Result<never> {
  return fail(
    'state-unwritable',
    'the permission could not be brought into force, so nothing is asked in cleartext',
    'see what is wrong: sotto status',
  );
}
