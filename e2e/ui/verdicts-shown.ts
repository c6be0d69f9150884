/** Every verdict that a service can have, as Home shows it. */
import { someStatus, someSystemDns } from '../../app/cli/fixtures/made-up.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';

/** The status of a machine that queries Sotto; the service is made up, its verdict is that of the real function. */
export const verdictsShown: [string, RegExp, Partial<ServiceStatus>][] = [
  ['Protected', /^quad9 answers this computer's queries, encrypted\./, {}],
  [
    'Not in use yet',
    /^Sotto works, but this computer asks somebody else\./,
    { systemDns: someSystemDns({ wanted: false, taken: false }) },
  ],
  [
    'Partly protected',
    /^Chrome and 1 container go around Sotto\./,
    {
      verdict: {
        is: 'partly',
        upstream: 'quad9',
        exceptions: 0,
        contested: false,
        around: [
          { kind: 'browser', name: 'Chrome' },
          { kind: 'container', name: 'Docker 1' },
        ],
      },
    },
  ],
  [
    'Connecting',
    /^Connecting to Quad9 …/,
    { protection: { state: 'starting', upstream: 'Quad9' } },
  ],
  [
    'Your choice',
    /^Quad9 can't be reached encrypted here\. Nothing is sent until you decide\./,
    { protection: { state: 'asking', upstream: 'Quad9' } },
  ],
  [
    'Unencrypted',
    /^Queries leave unencrypted here since .*; it was allowed, \d.* left\./,
    {
      protection: {
        state: 'exposed',
        since: Date.now() - 60_000,
        until: Date.now() + 420_000,
        consent: 'allowed by ann',
      },
    },
  ],
  [
    'Unencrypted',
    /^Another program or the network took this computer's DNS over: queries leave unencrypted since/,
    {
      systemDns: someSystemDns({
        taken: false,
        contest: { since: Date.now(), closed: false, constant: false },
      }),
    },
  ],
  [
    'Blocked',
    /^No encrypted connection: queries are blocked, not leaked\./,
    { protection: { state: 'refusing', why: 'Quad9: timed out.' } },
  ],
  [
    'Log in to this Wi-Fi',
    /^Queries wait until you are logged in; none leaves unencrypted\./,
    { protection: { state: 'portal' } },
  ],
  [
    'Paused until Sotto starts again – unencrypted',
    /^This computer asks its network, unencrypted\./,
    { protection: { state: 'paused', until: null } },
  ],
  [
    'Off – unencrypted',
    /^This computer asks its network, unencrypted\./,
    { protection: { state: 'off', since: Date.now() } },
  ],
];

/** The whole status, with the verdict of the real function. */
export function statusOf(changes: Partial<ServiceStatus>): ServiceStatus {
  return { ...someStatus(), ...changes, verdict: someStatus(changes).verdict };
}
