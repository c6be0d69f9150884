/** Facts for tests of the transition: one upstream on one network; the test gives everything else. */
import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { say } from '../../contract/sentences/sentence.ts';
import { consentDeadlineMs } from './consent-requests.ts';
import type { GroupPath } from './group-path.ts';
import type { GroupFacts } from './group-transition.ts';
import type { GroupRules } from './policy-in-force.ts';
import { noPortal } from './portal-facts.ts';
import type { Switch } from './switch.ts';
import type { ProtectionFacts } from './transition.ts';

export const now = 10_000_000;
export const here = { id: 'cafe', label: 'the café', authenticated: false };
export const on: Switch = { protection: 'on', since: 1, who: 'me' };

export const reached: GroupPath = { kind: 'private', upstream: 'A', tls: 'TLS 1.3' };
export const trying: GroupPath = { kind: 'trying', upstream: 'A' };
export const none: GroupPath = {
  kind: 'none',
  upstream: 'A',
  why: 'A: timed out.',
  says: [say('upstream-unreachable', { upstream: 'A', message: 'timed out' })],
};

export function rules(changes: Partial<GroupRules> = {}): GroupRules {
  return {
    id: '',
    names: [],
    policy: 'refuse',
    why: 'your settings',
    rungs: ['tcp', 'udp'],
    strategy: 'ordered',
    consent: 'anyone',
    when: null,
    ...changes,
  };
}

export function group(changes: Partial<GroupFacts> = {}): GroupFacts {
  return { rules: rules(), path: none, chosenClear: null, request: null, ...changes };
}

export function someConsentRequest(changes: Partial<ConsentRequest> = {}): ConsentRequest {
  return {
    id: 'kfpm',
    network: here.id,
    networkLabel: here.label,
    group: '',
    upstream: 'A',
    why: 'A: timed out.',
    rungs: ['tcp', 'udp'],
    consent: 'anyone',
    openedAt: now - 1000,
    deadline: now - 1000 + consentDeadlineMs,
    state: 'open',
    answeredAt: null,
    who: null,
    until: null,
    ...changes,
  };
}

export function entry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: 7,
    class: 'policy',
    network: here.id,
    networkLabel: here.label,
    group: '',
    rule: '',
    reason: 'as it began',
    who: 'your settings',
    since: now - 60_000,
    until: now + 240_000,
    count: 3,
    closed: null,
    ...changes,
  };
}

export function facts(changes: Partial<ProtectionFacts> = {}): ProtectionFacts {
  return {
    now,
    here,
    networkChanges: 0,
    position: on,
    groups: [group()],
    wideRules: [],
    exposures: [],
    portal: noPortal,
    ...changes,
  };
}
