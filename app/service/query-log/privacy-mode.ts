/** What the log may keep of a query: the privacy mode, applied before anything is stored or shown live. */

import { publicSuffixList } from '../base/public-suffix-list.ts';
import type { EventRecord } from '../engine/boundary.ts';

export type LogMode = 'full' | 'domain' | 'counts' | 'off';

export function keepsNames(mode: LogMode): boolean {
  return mode === 'full' || mode === 'domain';
}

export function applyPrivacyMode(event: EventRecord, mode: LogMode): EventRecord {
  if (mode === 'full') return event;
  if (mode === 'domain') return { ...event, ...reducedTexts(event) };
  return { ...event, name: '', rule: '', reason: '' };
}

/** A rule is a suffix of the name and a reason may quote it, so they must not say more than the name does. */
function reducedTexts(event: EventRecord): Pick<EventRecord, 'name' | 'rule' | 'reason'> {
  const name = registrableDomain(event.name);
  return {
    name,
    rule: registrableDomain(event.rule),
    reason:
      event.name.length > name.length ? replaceName(event.reason, event.name, name) : event.reason,
  };
}

/**
 * The registrable domain by the public suffix list (its ICANN part: a hoster's customer domains stay within the
 * hoster's). A name under no listed suffix (one label, `.internal`, `.lan`) keeps its last label only.
 */
export function registrableDomain(name: string): string {
  const labels = splitLabels(name);
  if (labels.length < 2) return labels.join('');
  // The list would give up on labels that no hostname can have; it does not need their text.
  const plain = labels.map((label) => (/^[a-z0-9_-]+$/i.test(label) ? label : 'x')).join('.');
  const { isIcann, publicSuffix } = publicSuffixList().parse(plain, {
    detectIp: false,
    validateHostname: false,
  });
  const kept = isIcann && publicSuffix ? publicSuffix.split('.').length + 1 : 1;
  return labels.slice(-kept).join('.');
}

/** Labels of a name in presentation form: a dot after a backslash belongs to its label; the root has none. */
function splitLabels(name: string): string[] {
  return name.match(/(?:\\.|[^.\\])+/gs) ?? [];
}

function replaceName(text: string, name: string, replacement: string): string {
  const at = text.toLowerCase().indexOf(name);
  if (at === -1) return text;
  return (
    text.slice(0, at) + replacement + replaceName(text.slice(at + name.length), name, replacement)
  );
}
