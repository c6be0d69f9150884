/**
 * Who may loosen what keeps names private, beyond the check of the role. Where consent needs an administrator, or an
 * administrator has locked what may leave in cleartext, so does everything with the same effect: a looser policy for a network, a
 * stricter one that is removed, off and pause, a link's names, and a portal's site for every program. Pure.
 */

import { fail, type Result } from '../../contract/errors.ts';
import type { Role } from '../../contract/service-api.ts';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import type { NameClaim } from '../../contract/settings/rule-methods.ts';
import { strictest } from '../network/effective-policy.ts';
import type { Switch } from '../protection/switch.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';

type Rules = Pick<EffectiveSettings, 'settings' | 'sources'>;

/**
 * `remembered`: the network's policy before; null: none. `given`: its policy from now on. Returns why not; null: it is allowed.
 */
export function refuseLooserNetwork(
  change: { remembered: DowngradePolicy | null; given: DowngradePolicy | null },
  role: Role,
  { settings, sources }: Rules,
): Result<never> | null {
  const { downgrade } = settings;
  const [before, after] = [change.remembered ?? downgrade, change.given ?? downgrade];
  const looser = strictest([before, downgrade, after]) !== after;
  // Under a lock it would have no effect, until the lock ends.
  const isRefused = takesAdministrator(settings) || sources.downgrade.locked;
  return looser && role !== 'administer' && isRefused
    ? fail(
        'forbidden',
        `only an administrator may set a policy that is looser than "${strictest([before, downgrade])}"; you have the role ${role}`,
        'ask an administrator, or set a stricter one',
        'policy',
      )
    : null;
}

/** For everybody: whoever may loosen the setting can do that first, where nobody has locked it. */
export function refuseWithoutCode(
  to: Switch['protection'],
  { settings }: Pick<Rules, 'settings'>,
): Result<never> | null {
  if (settings.pause !== 'code') return null;
  return to === 'off'
    ? fail(
        'pause-code-needed',
        "Sotto can't be switched off here, because a pause needs a code from your help desk, and ends by itself",
        'ask for a pause instead: sotto pause 30m',
      )
    : fail(
        'pause-code-needed',
        'a pause needs a code from your help desk',
        'ask for the challenge to read to it: sotto pause 30m',
      );
}

/** A pause lets out nobody in `refuseFor`; off gives the system's DNS back for everybody, whoever took it. */
export function refuseSwitchingAway(
  role: Role,
  to: Switch['protection'],
  { settings, sources }: Rules,
): Result<never> | null {
  if (role === 'administer') return null;
  const givesBack = settings.systemDns.take && sources['systemDns.take'].locked;
  const losesMore = to === 'off' && (settings.refuseFor.length > 0 || givesBack);
  if (!isLockedTight({ settings, sources }) && !losesMore) return null;
  return fail(
    'forbidden',
    `only an administrator may switch Sotto off or pause it here, because then every query leaves in cleartext; you have the role ${role}`,
    'ask an administrator',
  );
}

/**
 * A login in its own window sends queries for its own names; in a browser, queries of the whole system for one name leave in
 * cleartext.
 */
export function refuseSiteInCleartext(role: Role, rules: Rules): Result<never> | null {
  if (role === 'administer' || !isLockedTight(rules)) return null;
  return fail(
    'forbidden',
    `only an administrator may let programs ask the network for a name here; you have the role ${role}`,
    'log in by the window, which needs no such permission',
    'site',
  );
}

/**
 * Believed, a claim sends everybody's names below it to a link's resolvers, in cleartext, also those of people in `refuseFor`, for
 * whom bypass rules hold; believed no longer, or once its network is confirmed, to the upstream, which then learns names of
 * somebody's network. Where "learnRules" is locked at "ask", people shall be asked, so they may answer.
 */
export function refuseAnswer(
  { believe, state }: { believe: boolean; state: NameClaim['state'] },
  role: Role,
  rules: Rules,
): Result<never> | null {
  if (role === 'administer') return null;
  const isRefused = believe
    ? refusesRules(rules) || isLockedTight(rules)
    : state === 'believed' || state === 'unconfirmed';
  if (!isRefused) return null;
  return fail(
    'forbidden',
    believe
      ? `only an administrator may let names leave in cleartext here; you have the role ${role}`
      : `only an administrator may send names to the upstream that belong to a link here; you have the role ${role}`,
    'ask an administrator',
    'suffix',
  );
}

/** A condition that names a network follows its name, so whoever gives names decides where the condition holds. */
export function refuseRenaming(role: Role, { settings }: Rules): Result<never> | null {
  const { bypass, groups, refuseFor } = settings;
  const whens = [...bypass, ...Object.values(groups)].flatMap(({ when }) => when ?? []);
  const named = [...whens, ...refuseFor].some(({ network }) => network !== undefined);
  if (role === 'administer' || !named) return null;
  return fail(
    'forbidden',
    `only an administrator may name networks here, because conditions of the settings name them; you have the role ${role}`,
    'ask an administrator',
    'name',
  );
}

/** No further rule for names of the people and under the locks that there are. */
function refusesRules({ settings, sources }: Rules): boolean {
  const learnsNothing = sources.learnRules.locked && settings.learnRules === 'off';
  return sources.bypass.locked || learnsNothing || settings.refuseFor.length > 0;
}

/**
 * An administrator has decided what may leave in cleartext, which goes around it would undo. A lock on `consent` alone does not: at
 * "anyone" it lets people decide, and at "administrator" it needs no lock.
 */
function isLockedTight({ settings, sources }: Rules): boolean {
  const decided = ['downgrade', 'rungs', 'groups'] as const;
  return takesAdministrator(settings) || decided.some((key) => sources[key].locked);
}

/** A network's policy holds for every group, and off for every name. */
function takesAdministrator({ consent, groups }: Rules['settings']): boolean {
  const own = Object.values(groups).map((group) => group.consent ?? consent);
  return [consent, ...own].includes('administrator');
}
