/** What the tray shows: mark, tooltip and menu, as pure functions of what is known of the service. */

import type { ConsentRequest } from '../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../contract/protection/ledger-entry.ts';
import type { ProtectionState } from '../contract/protection/protection-state.ts';
import type { TakingChange } from '../contract/protection/taking-words.ts';
import type { ShownVerdict } from '../contract/protection/verdict.ts';
import { headlineOf, sentencesOf } from '../contract/protection/verdict-words.ts';
import type { Said } from '../contract/sentences/sentence.ts';
import { fill } from '../contract/sentences/sentence-template.ts';
import type { MethodName, Params } from '../contract/service-api.ts';
import { firstChoice, otherChoices } from '../contract/status/first-choice.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import { safe } from '../contract/text/visible-text.ts';

import { ends, minutesLeft, nextMinute, soonest } from './countdown.ts';
import { type OpenClaim, openClaims } from './open-claims.ts';

import type { ServiceLink } from './service-link.ts';
import type { TrayWords } from './text/words.ts';

/** Its pictures are in assets/tray/png. */
export type Mark = ShownVerdict;

export interface TrayView {
  mark: Mark;
  tooltip: string;
  entries: readonly TrayEntry[];
  /** unix milliseconds at which the view changes by itself; null: it changes only with a new status */
  changesAt: number | null;
}

export type TrayEntry =
  | { kind: 'text'; label: string }
  | { kind: 'separator' }
  /** `oneOf`: its neighbours are the other choices */
  | { kind: 'action'; label: string; action: TrayAction; checked?: boolean; oneOf?: true }
  | { kind: 'submenu'; label: string; entries: readonly TrayEntry[] };

/** What a click does; carried out in carry-out.ts. */
export type TrayAction =
  | Call
  | { do: 'open'; page: string }
  | { do: 'open-login' }
  | { do: 'connect' }
  | { do: 'copy-diagnostics' }
  | { do: 'start-at-login'; wanted: boolean }
  | { do: 'protect'; change: TakingChange }
  | { do: 'quit' };

type Call = {
  [Name in MethodName]: { do: 'call'; method: Name; params: Params<Name> };
}[MethodName];

export interface TraySurroundings {
  /** unix milliseconds */
  now: number;
  words: TrayWords;
  /** null: this tray can't be started at login */
  startsAtLogin: boolean | null;
  /** quitting ends the service as well, because this program started it */
  ownsService: boolean;
}

export function trayView(link: ServiceLink, around: TraySurroundings): TrayView {
  const known =
    link.is === 'connected' ? connected(link.status, around) : notConnected(link, around.words);
  const end = always(around, link.is === 'connected' ? link.status : null);
  return { ...known, entries: [...known.entries, separator, ...end] };
}

const separator = { kind: 'separator' } as const;
const longestLabel = 120;
const pauses = [5, 15, 60] as const;
/** The minutes that "allow" in the tray gives; the window offers other lengths. */
export const allowedMinutes = 10;

function connected(status: ServiceStatus, around: TraySurroundings): TrayView {
  const { protection, verdict } = status;
  const { words, now } = around;
  const headline = sayVerdict(headlineOf(verdict), around);
  const sentences = sentencesOf(verdict).map((said) => sayVerdict(said, around));
  const sections: TrayEntry[][] = [
    [text(headline), ...sentences.map(text), ...whatToDo(status, words)],
    providers(status, words),
    portal(status, around),
    status.consentRequests.flatMap((request) =>
      consent(request, status.consentRequests.length > 1, words),
    ),
    claims(status, words),
    [...status.clear.filter(isWorthALine).map((entry) => clearEntry(entry, words))],
    troubles(status, words),
    switches(protection, around),
    systemDns(status, words),
  ];
  const entries = sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : [separator, ...section]));
  return {
    mark: verdict.is,
    tooltip: plain(`Sotto: ${headline}. ${sentences.join(' ')}`),
    entries,
    changesAt: soonest(ends(status).map((until) => nextMinute(until, now))),
  };
}

export function sayVerdict(
  { code, params }: Said,
  { words, now }: Pick<TraySurroundings, 'words' | 'now'>,
): string {
  return fill(words.verdict[code as keyof TrayWords['verdict']], params, {
    plain: String,
    moment: (at) => words.moment(Number(at), now),
    left: (until) => words.minutes(minutesLeft(Number(until), now) ?? 0),
  });
}

/** The one action that helps, right below the state; consent requests and logins have sections of their own. */
function whatToDo(
  { verdict, systemDns: dns, clear }: ServiceStatus,
  words: TrayWords,
): TrayEntry[] {
  const take = call(words.protect.protect, { do: 'protect', change: 'take' });
  const fix = call(words.howToFix, { do: 'open', page: 'diagnostics' });
  const other = call(words.otherProvider, { do: 'open', page: 'providers' });
  const stop = call(words.stop, {
    do: 'call',
    method: 'network.set',
    params: { policy: 'refuse' },
  });
  switch (verdict.is) {
    case 'not-in-use':
      if (verdict.why === 'coverage-gap') return [fix];
      return where(dns?.mechanism != null, take);
    case 'partly':
      return [fix];
    case 'blocked':
      return [verdict.by === 'contest' ? take : other];
    case 'unencrypted':
      if (verdict.by === 'contest') return [take];
      return where(isAllowedByPolicy(clear), stop);
    default:
      return [];
  }
}

function where(so: boolean, entry: TrayEntry): TrayEntry[] {
  return so ? [entry] : [];
}

function isAllowedByPolicy(clear: ServiceStatus['clear']): boolean {
  return clear.some(({ class: kind, rule }) => kind === 'policy' && rule === '');
}

/** The one in use as the headline; below it each with its latency, the first choice ticked. A click makes another one the first. */
function providers(status: ServiceStatus, words: TrayWords): TrayEntry[] {
  const { upstreams } = status;
  const inUse = upstreams.find(({ state }) => state === 'ready');
  if (upstreams.length === 0) return [];
  const label = inUse === undefined ? words.providers : words.upstream(inUse.label, inUse.rttMs);
  const entries = [
    ...upstreams.slice(0, mostProviders).map((one) => provider(one, status, words)),
    separator,
    call(words.chooseProvider, { do: 'open', page: 'providers' }),
  ];
  return [{ kind: 'submenu', label: plain(label), entries }];
}

/** One that can't become the first choice, or needs not, is only told. */
function provider(
  { id, label, state, rttMs }: ServiceStatus['upstreams'][number],
  status: ServiceStatus,
  words: TrayWords,
): TrayEntry {
  const said = state === 'resting' ? words.resting(label) : words.upstream(label, rttMs);
  const others = otherChoices(status);
  const isFirst = id === firstChoice(status);
  if (others.size === 0 || !(isFirst || others.has(id))) return text(said);
  const action = { do: 'call', method: 'upstream.move', params: { id, to: 0 } } as const;
  return { kind: 'action', label: plain(said), checked: isFirst, oneOf: true, action };
}

/** An open login has minutes left, and can be closed; a person can also say that there is no login page. */
function portal({ portal: seen }: ServiceStatus, { words, now }: TraySurroundings): TrayEntry[] {
  if (seen === null || seen.skipped) return [];
  const { login } = seen;
  const open = call(words.openLogin, { do: 'open-login' });
  const skip = call(words.noLogin, { do: 'call', method: 'portal.skip', params: {} });
  if (login === null) return [open, skip];
  const close = words.closeLogin(minutesLeft(login.until, now));
  return [open, call(close, { do: 'call', method: 'portal.close', params: {} })];
}

/** The three answers, each under the name of its group where there are several requests. */
function consent(request: ConsentRequest, several: boolean, words: TrayWords): TrayEntry[] {
  const { id } = request;
  const answers: TrayEntry[] = [
    call(words.retry, { do: 'call', method: 'consent.retry', params: { id } }),
    call(words.allow(allowedMinutes), {
      do: 'call',
      method: 'consent.allow',
      params: { id, minutes: allowedMinutes },
    }),
    call(words.stayPrivate, { do: 'call', method: 'consent.deny', params: { id } }),
  ];
  return several
    ? [
        {
          kind: 'submenu',
          label: plain(words.requestOf(request.group, request.upstream)),
          entries: answers,
        },
      ]
    : answers;
}

/** More than these are in one list on the page. */
const mostClaims = 3;
const mostProviders = 12;

/** A name that the network claims: believed or not, once per network. */
function claims(status: ServiceStatus, words: TrayWords): TrayEntry[] {
  const open = openClaims(status);
  const rest = open.length - mostClaims;
  return [
    ...open.slice(0, mostClaims).map((claim): TrayEntry => {
      return {
        kind: 'submenu',
        label: plain(words.claim(claim.suffix)),
        entries: answers(claim, words),
      };
    }),
    ...(rest > 0 ? [call(words.moreClaims(rest), { do: 'open', page: 'exceptions' })] : []),
  ];
}

function answers(claim: OpenClaim, words: TrayWords): TrayEntry[] {
  return claimAnswers(claim, words).map(({ label, action }) => call(label, action));
}

/** The same in the menu and as buttons of a notification. */
export function claimAnswers(
  claim: OpenClaim,
  words: TrayWords,
): { label: string; action: TrayAction }[] {
  const answer = (believe: boolean): TrayAction => ({
    do: 'call',
    method: 'rule.answer',
    params: { ...claim, believe },
  });
  return [
    { label: words.believe, action: answer(true) },
    { label: words.disbelieve, action: answer(false) },
  ];
}

/** A rule's entry is open as long as the rule exists, so it is worth a line only once something has left. */
function isWorthALine(entry: LedgerEntry): boolean {
  return entry.class !== 'bypass' || (entry.count ?? 0) > 0;
}

function clearEntry(entry: LedgerEntry, words: TrayWords): TrayEntry {
  return call(words.inCleartext(entry), { do: 'open', page: 'ledger' });
}

function troubles({ health }: ServiceStatus, words: TrayWords): TrayEntry[] {
  const errors = health.filter(({ severity }) => severity === 'error');
  return errors.map((issue) => call(words.trouble(issue), { do: 'open', page: 'diagnostics' }));
}

function switches(protection: ProtectionState, { words, now }: TraySurroundings): TrayEntry[] {
  const resume: Call = { do: 'call', method: 'protection.on', params: {} };
  if (protection.state === 'off') return [call(words.turnOn, resume)];
  if (protection.state === 'paused')
    return [call(words.resume(minutesLeft(protection.until, now)), resume)];
  return [
    {
      kind: 'submenu',
      label: words.pause,
      entries: [
        ...pauses.map((minutes) =>
          call(words.pauseFor(minutes), {
            do: 'call',
            method: 'protection.pause',
            params: { minutes },
          }),
        ),
        call(words.pauseUntilRestart, {
          do: 'call',
          method: 'protection.pause',
          params: { untilRestart: true },
        }),
      ],
    },
    call(words.turnOff, { do: 'call', method: 'protection.off', params: {} }),
  ];
}

/** Absent where this machine has no mechanism, and where the section above offers it already. */
function systemDns({ systemDns: dns, verdict }: ServiceStatus, words: TrayWords): TrayEntry[] {
  if (dns === null || dns.mechanism === null) return [];
  if (dns.wanted)
    return [call(words.protect['protect-stop'], { do: 'protect', change: 'give-back' })];
  return verdict.is === 'not-in-use'
    ? []
    : [call(words.protect.protect, { do: 'protect', change: 'take' })];
}

/** Earlier state is not shown, because it may be outdated. */
function notConnected(link: Exclude<ServiceLink, { is: 'connected' }>, words: TrayWords): TrayView {
  if (link.is === 'connecting')
    return {
      mark: 'connecting',
      tooltip: plain(`Sotto: ${words.connecting}`),
      entries: [text(words.connecting)],
      changesAt: null,
    };
  const headline = words.verdict['headline-not-responding'];
  const sentence = words.lost(link.failure);
  return {
    mark: 'not-responding',
    tooltip: plain(`Sotto: ${headline}. ${sentence}`),
    entries: [text(headline), text(sentence), call(words.tryAgain, { do: 'connect' })],
    changesAt: null,
  };
}

function always(
  { words, startsAtLogin, ownsService }: TraySurroundings,
  status: ServiceStatus | null,
): TrayEntry[] {
  return [
    call(words.open, { do: 'open', page: 'home' }),
    // The service composes the report.
    ...(status === null ? [] : [call(words.copyDiagnostics, { do: 'copy-diagnostics' })]),
    ...(startsAtLogin === null ? [] : [loginEntry(startsAtLogin, words)]),
    separator,
    call(quitLabel(ownsService, status, words), { do: 'quit' }),
  ];
}

function loginEntry(startsAtLogin: boolean, words: TrayWords): TrayEntry {
  const action = { do: 'start-at-login', wanted: !startsAtLogin } as const;
  return { kind: 'action', label: words.startAtLogin, checked: startsAtLogin, action };
}

/** What goes on without the tray, and what does not. */
function quitLabel(
  ownsService: boolean,
  status: ServiceStatus | null,
  { quit }: TrayWords,
): string {
  const taken = status?.systemDns?.taken === true;
  if (ownsService) return taken ? quit.allAndGiveBack : quit.all;
  if (status === null) return quit.tray;
  return taken ? quit.trayWhileTaken : quit.trayWhileRunning;
}

function text(label: string): TrayEntry {
  return { kind: 'text', label: plain(label) };
}

function call(label: string, action: TrayAction): TrayEntry {
  return { kind: 'action', label: plain(label), action };
}

/** Labels hold names from outside. */
function plain(label: string): string {
  const harmless = safe(label);
  return harmless.length > longestLabel ? `${harmless.slice(0, longestLabel - 1)}…` : harmless;
}
