/** Turns the tray's entries into a menu for Electron. */
import type { MenuItemConstructorOptions } from 'electron';
import type { TrayAction, TrayEntry } from './tray-view.ts';

export function menuTemplate(
  entries: readonly TrayEntry[],
  carryOut: (action: TrayAction) => void,
): MenuItemConstructorOptions[] {
  return entries.map((entry) => {
    if (entry.kind === 'separator') return { type: 'separator' };
    const label = literal(entry.label);
    if (entry.kind === 'text') return { label, enabled: false };
    if (entry.kind === 'submenu') return { label, submenu: menuTemplate(entry.entries, carryOut) };
    const { action, checked, oneOf } = entry;
    const click = () => carryOut(action);
    if (checked === undefined) return { label, click };
    return { label, click, type: oneOf === true ? 'radio' : 'checkbox', checked };
  });
}

/** An ampersand would mark a key. */
function literal(label: string): string {
  return label.replaceAll('&', '&&');
}
