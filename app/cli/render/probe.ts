/** A probe, step by step, and its results. */
import type { ProbeReport, ProbeStep } from '../../contract/probing/probe-report.ts';
import { sayCount } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { padEnd, padStart } from '../terminal/terminal-text.ts';

export function renderStep(step: ProbeStep, terminal: Terminal): string {
  const line = [
    padStart(`${step.at.toFixed(2)} ms`, 11),
    padEnd(step.step, 8),
    safe(step.text),
  ].join('  ');
  return step.step === 'failed' ? terminal.paint('red', line) : line;
}

/** Addresses without a response. */
export function renderInVain({ tried = [] }: Pick<ProbeReport, 'tried'>): string[] {
  return tried.map(({ address, text }) => `tried in vain: ${safe(address)}: ${safe(text)}`);
}

/** About TCP Fast Open, where it was tried. */
export function renderFastOpen({ fastOpen }: Pick<ProbeReport, 'fastOpen'>): string[] {
  const words = {
    off: null,
    'cookie-asked': 'asked for a cookie, for the next connection',
    'not-used': 'the server did not take what came with the first packet',
    accepted: 'the server took what came with the first packet',
  }[fastOpen];
  return words === null ? [] : [`TCP Fast Open: ${words}`];
}

/** About early data, where the server would accept it. */
export function renderEarlyData({ earlyData }: ProbeReport): string[] {
  if (earlyData === null) return [];
  return [
    `early data: the server would take ${earlyData} octets ("earlyData" in the settings says whether they are sent)`,
  ];
}

export function renderSecurity({ tls, chain }: ProbeReport): string[] {
  if (tls === null) return [];
  const facts = [
    `TLS ${safe(tls.version)}`,
    safe(tls.cipher),
    ...(tls.group === '' ? [] : [safe(tls.group)]),
    tls.resumed ? 'resumed' : 'full handshake',
    ...(tls.name === null ? [] : [`name ${safe(tls.name)} checked`]),
    ...(tls.pinned ? ['pinned'] : []),
  ];
  return [
    facts.join(', '),
    ...chain.flatMap(({ subject, issuer, names, notBefore, notAfter, daysLeft, spki }) => [
      `  certificate: ${safe(subject)}`,
      ...(names.length === 0 ? [] : [`    for ${names.map(safe).join(', ')}`]),
      `    issued by ${safe(issuer)}, valid from ${safe(notBefore)} to ${safe(notAfter)}, ${daysLeft < 0 ? 'expired' : `${sayCount(daysLeft, 'day')} left`}`,
      `    pin ${safe(spki)}`,
    ]),
  ];
}
