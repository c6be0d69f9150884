/** What tests of the tray's view share: a quiet status, and the menu as a person reads and uses it. */
// biome-ignore lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someStatus, someUpstream } from '../cli/fixtures/made-up.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import { en } from './text/en.ts';
import { type TrayEntry, type TrayView, trayView } from './tray-view.ts';

export const now = 1_000_000_000;
export const minute = 60_000;
export const quad9 = someUpstream({ id: 'Quad9', rttMs: 11 });
export const quiet: Partial<ServiceStatus> = {
  protection: { state: 'private', upstream: 'Quad9', tls: 'TLS 1.3' },
  upstreams: [quad9],
};
export const around = { now, words: en, startsAtLogin: false, ownsService: false };

export function shown(changes: Partial<ServiceStatus>, words = en): TrayView {
  const status = someStatus({ ...quiet, ...changes });
  return trayView({ is: 'connected', status }, { ...around, words });
}

/** One line an entry, as a person reads it, with submenus indented. */
export function lines(entries: readonly TrayEntry[], indent = ''): string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'separator') return [`${indent}–`];
    if (entry.kind === 'submenu')
      return [`${indent}${entry.label} ▸`, ...lines(entry.entries, `${indent}  `)];
    return [
      `${indent}${entry.kind === 'text' ? '(' : ''}${entry.label}${entry.kind === 'text' ? ')' : ''}`,
    ];
  });
}

export function click(view: TrayView, label: string): unknown {
  const all = view.entries.flatMap((entry) => (entry.kind === 'submenu' ? entry.entries : entry));
  return all.find((entry) => entry.kind === 'action' && entry.label === label);
}
