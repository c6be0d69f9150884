/**
 * Which events interrupt a person: only those that need one. It compares what was known before with what is known now. The same
 * notice appears once while its cause lasts, and not again within an hour; there are at most three in ten minutes. A network's
 * claim is shown once per network, however long ago.
 */
import type { ConsentRequest } from '../contract/protection/consent-request.ts';
import type { HealthIssue, HealthIssueCode } from '../contract/status/health-issue.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import type { PortalStatus } from '../contract/system/portal.ts';
import { type OpenClaim, openClaims } from './open-claims.ts';

export type Notice =
  | { about: 'consent'; key: string; request: ConsentRequest }
  | { about: 'portal'; key: string; portal: PortalStatus }
  | { about: 'claim'; key: string; claim: OpenClaim }
  | { about: 'exposed'; key: string; status: ServiceStatus }
  | { about: 'trouble'; key: string; issue: HealthIssue };

/** The issues about which only a person can do something. What ends by itself stays in the menu. */
const needsAPerson: readonly HealthIssueCode[] = [
  'downgrade-attempt',
  'certificate-wrong',
  'clock-wrong',
  'settings-invalid',
  'policy-file-invalid',
  'settings-vanished',
  'certificates-vanished',
  'listen-failed',
  'ledger-unwritable',
  'system-dns-stuck',
  'system-dns-contested',
];

const sameAgain = 60 * 60_000;
const window = 10 * 60_000;
const mostInWindow = 3;

export class Notices {
  readonly #said = new Map<string, number>();
  /** keys of claims, each of which is shown once */
  readonly #claimed = new Set<string>();
  /** keys of what lasted at the last look */
  #standing = new Set<string>();

  /** The notices to show now. `now`: unix milliseconds. */
  take(status: ServiceStatus, now: number): Notice[] {
    const worthSaying = noticesOf(status);
    const fresh = worthSaying.filter(
      ({ key }) => !this.#standing.has(key) && !this.#claimed.has(key),
    );
    this.#standing = new Set(worthSaying.map(({ key }) => key));
    for (const [key, at] of this.#said) if (now - at >= sameAgain) this.#said.delete(key);
    const news = fresh.filter(({ key }) => !this.#said.has(key)).slice(0, this.#room(now));
    for (const { key } of news) this.#said.set(key, now);
    for (const { about, key } of news) if (about === 'claim') this.#claimed.add(key);
    return news;
  }

  #room(now: number): number {
    const lately = [...this.#said.values()].filter((at) => now - at < window).length;
    return Math.max(0, mostInWindow - lately);
  }
}

/** Consent requests come first, because they wait for an answer. */
function noticesOf(status: ServiceStatus): Notice[] {
  const { consentRequests, portal, protection, health } = status;
  const exposed: Notice[] =
    protection.state === 'exposed'
      ? [{ about: 'exposed', key: `exposed ${status.network.id}`, status }]
      : [];
  // a login that opens by itself is visible already
  const login: Notice[] =
    portal !== null && !portal.skipped && !portal.byItself && portal.login === null
      ? [{ about: 'portal', key: `portal ${status.network.id}`, portal }]
      : [];
  return [
    ...login,
    ...consentRequests.map(
      (request): Notice => ({
        about: 'consent',
        key: `consent ${request.network} ${request.group}`,
        request,
      }),
    ),
    ...openClaims(status).map(
      (claim): Notice => ({
        about: 'claim',
        key: `claim ${status.network.id} ${claim.link} ${claim.suffix}`,
        claim,
      }),
    ),
    ...exposed,
    ...health
      .filter(({ code }) => needsAPerson.includes(code))
      .map(
        (issue): Notice => ({
          about: 'trouble',
          key: `${issue.code} ${issue.subject}`,
          issue,
        }),
      ),
  ];
}
