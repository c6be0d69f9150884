/** Every string of the tray; each language has one file. Names from outside are made harmless before they come here. */

import type { Failure } from '../../contract/errors.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { protectSentences } from '../../contract/sentences/protect.ts';
import type { verdictSentences } from '../../contract/sentences/verdict.ts';
import type { HealthIssue } from '../../contract/status/health-issue.ts';
import type { LoadFailure } from '../login-page.ts';

export interface TrayWords {
  /** the headlines and sentences of the verdicts, with parameters */
  verdict: Readonly<Record<keyof typeof verdictSentences, string>>;
  /** unix milliseconds */
  moment(at: number, now: number): string;
  minutes(count: number): string;
  upstream(id: string, rttMs: number | null): string;
  providers: string;
  /** it gave no response lately */
  resting(id: string): string;
  chooseProvider: string;
  retry: string;
  allow(minutes: number): string;
  stayPrivate: string;
  /** which of several consent requests this is; `group` is empty for the default group */
  requestOf(group: string, upstream: string): string;
  openLogin: string;
  /** `left`: minutes until it ends by itself */
  closeLogin(left: number | null): string;
  noLogin: string;
  claim(suffix: string): string;
  moreClaims(count: number): string;
  believe: string;
  disbelieve: string;
  /** "Protect this computer", its outcomes and its way back */
  protect: Readonly<Record<keyof typeof protectSentences, string>>;
  howToFix: string;
  otherProvider: string;
  /** ends what was allowed */
  stop: string;
  inCleartext(entry: LedgerEntry): string;
  trouble(issue: HealthIssue): string;
  pause: string;
  pauseFor(minutes: number): string;
  pauseUntilRestart: string;
  resume(left: number | null): string;
  turnOn: string;
  turnOff: string;
  connecting: string;
  lost(failure: Failure): string;
  tryAgain: string;
  open: string;
  copyDiagnostics: string;
  startAtLogin: string;
  /** each says what goes on afterwards */
  quit: {
    tray: string;
    trayWhileRunning: string;
    trayWhileTaken: string;
    all: string;
    allAndGiveBack: string;
  };
  notice: {
    asking(upstream: string): { title: string; body: string };
    /** `site`: the network's answer named it, where there is one */
    portal(site: string | null): { title: string; body: string };
    claim(suffix: string, link: string): { title: string; body: string };
    exposed(network: string): { title: string; body: string };
    trouble(issue: HealthIssue): { title: string; body: string };
  };
  login: {
    title: string;
    left(clock: string): string;
    inCleartext: string;
    /** the page can't be reached any more */
    over: string;
    beginAgain: string;
    through: string;
    again: string;
    close: string;
    loading: string;
    checking: string;
    notYet: string;
    failed(failure: LoadFailure): string;
  };
}
