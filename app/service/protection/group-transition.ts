/**
 * The state of one group of upstreams, what it may send in cleartext, and whether it needs a consent request. Pure.
 *
 *              private path             none works
 *   refuse     private                  refusing
 *   warn       private                  asking ─ allow ─▶ exposed ─ time over ─▶ asking
 *                                         ├─ no ────────▶ refusing  } until a private path works, the network changes
 *                                         ├─ no answer ─▶ refusing  } or a person retries
 *                                         └─ retry ─────▶ starting ─▶ asking
 *   fallback   private                  exposed, under a lease that is renewed while it is needed
 *
 * Without a network there is no consent request and no permission, whatever the policy: the state is refusing, until one comes.
 * Where the network wants a login and no private path works, nothing more is permitted than a person has allowed: portal.
 * The state is exposed only with an entry in the ledger; until it is written, it is refusing.
 */
import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { ProtectionState } from '../../contract/protection/protection-state.ts';
import { inEnglish, type Said, say } from '../../contract/sentences/sentence.ts';
import type { GroupPath } from './group-path.ts';
import { isSame, type Permission } from './permissions.ts';
import type { GroupRules, NetworkHere } from './policy-in-force.ts';
import type { PortalFacts } from './portal-facts.ts';
import { retryGraceMs } from './private-path-retry.ts';

export interface GroupFacts {
  rules: GroupRules;
  path: GroupPath;
  /** the settings give the group nothing but clear upstreams: which they are, and who chose them */
  chosenClear: { reason: string; who: string } | null;
  /** the request that this group's people saw last, while its answer counts */
  request: ConsentRequest | null;
}

export interface GroupSurroundings {
  now: number;
  here: NetworkHere;
  /** open ledger entries of class policy */
  exposures: readonly LedgerEntry[];
  portal: PortalFacts;
}

export interface GroupTransition {
  state: ProtectionState;
  /** the permission that it needs */
  permission: Permission | null;
  /** of consent; `drop`: the request, or its answer, no longer counts */
  request: 'open' | 'expire' | 'drop' | null;
  /** of `refusing` and `exposed`: the same as `why` and `consent` */
  says?: readonly Said[];
}

/** A hanging control plane can't keep queries going in cleartext for longer than this. */
export const fallbackLeaseMs = 5 * 60_000;

export function groupTransition(
  group: GroupFacts,
  surroundings: GroupSurroundings,
): GroupTransition {
  const { rules, path, chosenClear, request } = group;
  const { now } = surroundings;
  const drop = request === null ? null : 'drop';
  if (path.kind === 'offline') return { ...refusing(path), request: drop };
  if (chosenClear !== null)
    return { ...exposedByChoice(group, surroundings, chosenClear), request: null };
  const consents = hasConsent(group, now);
  if (path.kind === 'private')
    return {
      state: { state: 'private', upstream: path.upstream, tls: path.tls },
      permission: null,
      request: consents ? null : drop,
    };
  if (surroundings.portal.found && !consents) return captive(request, now);
  return rules.policy === 'warn' ? warned(group, surroundings) : unasked(group, surroundings);
}

/** A person allows cleartext here and now. */
function hasConsent({ rules, request }: GroupFacts, now: number): boolean {
  return rules.policy === 'warn' && request !== null && allowedUntil(request, now) !== null;
}

function exposedByChoice(
  group: GroupFacts,
  surroundings: GroupSurroundings,
  chosen: NonNullable<GroupFacts['chosenClear']>,
): Omit<GroupTransition, 'request'> {
  const permission = permit(group, surroundings, { ...chosen, until: null });
  return exposed(permission, surroundings, say('consent-by', { who: chosen.who }), group.path);
}

/** The policies without a person's answer: refuse and fallback. */
function unasked(group: GroupFacts, surroundings: GroupSurroundings): GroupTransition {
  const { rules, path, request } = group;
  const drop = request === null ? null : 'drop';
  if (waitsForALook(group, surroundings)) return { ...starting(path), request: drop };
  if (path.kind === 'trying') return { ...starting(path), request: drop };
  return rules.policy === 'refuse' || rules.rungs.length === 0
    ? { ...refusing(path), request: drop }
    : { ...fallenBack(group, surroundings), request: drop };
}

/** A request that is open stays open: its answer counts here, too. */
function captive(request: ConsentRequest | null, now: number): GroupTransition {
  const expires = request?.state === 'open' && request.deadline <= now;
  return { state: { state: 'portal' }, permission: null, request: expires ? 'expire' : null };
}

/** Whether to fall back is known in a moment. What has a lease already goes on. */
function waitsForALook({ rules }: GroupFacts, { portal, exposures }: GroupSurroundings): boolean {
  return (
    portal.looking &&
    rules.policy === 'fallback' &&
    rules.rungs.length > 0 &&
    !exposures.some((entry) => entry.group === rules.id)
  );
}

function fallenBack(
  group: GroupFacts,
  surroundings: GroupSurroundings,
): Omit<GroupTransition, 'request'> {
  const { rules, path } = group;
  const { now } = surroundings;
  const fresh = permit(group, surroundings, {
    reason: sayWhy(group),
    who: rules.why,
    until: now + fallbackLeaseMs,
  });
  const standing = findEntry(fresh, surroundings)?.until ?? null;
  const lasts = standing !== null && standing - now > fallbackLeaseMs / 2;
  const permission = lasts ? { ...fresh, until: standing } : fresh;
  return exposed(permission, surroundings, say('consent-fallback', { why: rules.why }), path);
}

function warned(group: GroupFacts, surroundings: GroupSurroundings): GroupTransition {
  const { path, request, rules } = group;
  const without = path.kind === 'trying' ? starting(path) : refusing(path);
  if (rules.rungs.length === 0) return { ...without, request: request === null ? null : 'drop' };
  const answered = request === null ? null : byAnswer(group, request, surroundings);
  if (answered !== null) return answered;
  if (path.kind === 'trying') return { ...starting(path), request: null };
  return { ...asking(path), request: 'open' };
}

/** What follows from the last consent request; null: the next one is due. */
function byAnswer(
  group: GroupFacts,
  request: ConsentRequest,
  surroundings: GroupSurroundings,
): GroupTransition | null {
  const { path } = group;
  const { now } = surroundings;
  switch (request.state) {
    case 'open':
      return request.deadline > now
        ? { ...asking(path), request: null }
        : { ...refusing(path, request), request: 'expire' };
    case 'allowed': {
      const until = allowedUntil(request, now);
      return until === null
        ? null
        : { ...allowed(group, { ...request, until }, surroundings), request: null };
    }
    case 'denied':
    case 'unanswered':
      return {
        ...(path.kind === 'trying' ? starting(path) : refusing(path, request)),
        request: null,
      };
    case 'retried':
      return now < (request.answeredAt ?? 0) + retryGraceMs
        ? { ...starting(path), request: null }
        : null;
    case 'withdrawn':
      return null;
  }
}

/** Null: not now. If the clock was set back before the answer, minutes would become days. */
function allowedUntil({ state, answeredAt, until }: ConsentRequest, now: number): number | null {
  const holds = state === 'allowed' && answeredAt !== null && answeredAt <= now;
  return holds && until !== null && now < until ? until : null;
}

function allowed(
  group: GroupFacts,
  { who, until, answeredAt }: ConsentRequest & { until: number },
  surroundings: GroupSurroundings,
): Omit<GroupTransition, 'request'> {
  const minutes = Math.round((until - (answeredAt ?? surroundings.now)) / 60_000);
  const permission = permit(group, surroundings, {
    reason: `allowed for ${minutes} min: ${sayWhy(group)}`,
    who: who ?? 'somebody',
    until,
  });
  const consent = say('consent-by', { who: permission.who });
  return exposed(permission, surroundings, consent, group.path);
}

function permit(
  { rules }: GroupFacts,
  { here }: GroupSurroundings,
  terms: Pick<Permission, 'reason' | 'who' | 'until'>,
): Permission {
  const { id: network, label: networkLabel } = here;
  return { class: 'policy', network, networkLabel, group: rules.id, rule: '', ...terms };
}

function findEntry(
  permission: Permission,
  { exposures, now }: GroupSurroundings,
): LedgerEntry | undefined {
  return exposures.find((entry) => isSame(entry, permission, now));
}

function exposed(
  permission: Permission,
  surroundings: GroupSurroundings,
  said: Said,
  path: GroupPath,
): Omit<GroupTransition, 'request'> {
  const entry = findEntry(permission, surroundings);
  if (entry === undefined) return { ...refusing(path), permission };
  // The end of a lease that is renewed is not worth a mention.
  const until = said.code === 'consent-fallback' ? null : permission.until;
  return {
    state: { state: 'exposed', since: entry.since, until, consent: consentOf(said) },
    permission,
    says: [said],
  };
}

/** As a part of a sentence. */
export function consentOf(said: Said): string {
  return inEnglish(said).replace(/\.$/, '');
}

function starting({ upstream }: GroupPath): Omit<GroupTransition, 'request'> {
  return { state: { state: 'starting', upstream }, permission: null };
}

function asking({ upstream }: GroupPath): Omit<GroupTransition, 'request'> {
  return { state: { state: 'asking', upstream }, permission: null };
}

function refusing(
  path: GroupPath,
  request: ConsentRequest | null = null,
): Omit<GroupTransition, 'request'> {
  const says = [...whyNot(path), ...(request === null ? [] : [sayAnswer(request)])];
  return { state: { state: 'refusing', why: inEnglish(says) }, permission: null, says };
}

export function sayWhyNot(path: GroupPath): string {
  return inEnglish(whyNot(path));
}

function whyNot(path: GroupPath): readonly Said[] {
  if (path.kind === 'offline') return [say('no-network-here')];
  return path.kind === 'none' ? path.says : [say('upstream-unconnected', path)];
}

function sayAnswer({ id, state, who }: ConsentRequest): Said {
  if (state !== 'denied') return say('consent-request-unanswered', { id });
  return who === null ? say('stayed-private-somebody', { id }) : say('stayed-private', { id, who });
}

function sayWhy({ path, rules }: GroupFacts): string {
  return `no private path (${sayWhyNot(path).replace(/\.$/, '')}); rungs allowed: ${rules.rungs.join(', ')}`;
}
