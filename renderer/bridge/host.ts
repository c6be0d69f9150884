/** What a page needs of the browser or window around it, apart from the service. */
import type { Result } from '../../app/contract/errors.ts';
import { readDone } from '../../app/contract/fitting/reply.ts';

export const host = {
  languages: (): readonly string[] => navigator.languages,

  /** null where the address names no page yet */
  address: (): string => location.hash.slice(1),
  goTo(address: string): void {
    location.hash = address;
  },
  /** As `goTo`, but "back" does not come here again. */
  replaceAddress(address: string): void {
    history.replaceState(null, '', `#${address}`);
    dispatchEvent(new HashChangeEvent('hashchange'));
  },
  onAddress(listener: () => void): () => void {
    addEventListener('hashchange', listener);
    return () => removeEventListener('hashchange', listener);
  },

  onKey(listener: (event: KeyboardEvent) => void): () => void {
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  },

  /** What this browser remembers for the person; null where it may not, or has nothing yet. */
  remembered(key: string): string | null {
    try {
      return localStorage.getItem(`sotto.${key}`);
    } catch {
      return null;
    }
  },
  remember(key: string, value: string | null): void {
    try {
      if (value === null) localStorage.removeItem(`sotto.${key}`);
      else localStorage.setItem(`sotto.${key}`, value);
    } catch {
      // The value then holds until the page is closed.
    }
  },

  async copy(text: string): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  },

  /** Saves data as a file of the person's, where they keep such files. */
  save(name: string, data: Blob): void {
    const address = URL.createObjectURL(data);
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  },

  /** Whether the tray starts when the person logs in; null: a browser can't say, or the tray can't. */
  async startsAtLogin(): Promise<boolean | null> {
    const starts = await window.sotto?.startsAtLogin();
    return typeof starts === 'boolean' ? starts : null;
  },
  async setStartsAtLogin(wanted: boolean): Promise<Result<null>> {
    return readDone('start at login', await window.sotto?.setStartsAtLogin(wanted));
  },

  /** Whether the tray shows notices by itself; null: a browser shows none. */
  async showsNotices(): Promise<boolean | null> {
    const shows = await window.sotto?.showsNotices();
    return typeof shows === 'boolean' ? shows : null;
  },
  async setShowsNotices(wanted: boolean): Promise<Result<null>> {
    return readDone('notifications', await window.sotto?.setShowsNotices(wanted));
  },

  /** The tray can start the service; a browser can't. */
  canStartService: (): boolean => window.sotto !== undefined,
  async startService(): Promise<Result<null>> {
    return readDone('start the service', await window.sotto?.startService());
  },

  /** The tray can open a window for a login page; a browser can't. */
  hasLoginWindow: (): boolean => window.sotto !== undefined,

  /** In a tab of its own, which learns nothing about this page. */
  openElsewhere(url: string): void {
    open(url, '_blank', 'noopener,noreferrer');
  },

  isApple: (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent),

  tell(title: string, language: string, appearance: string): void {
    document.title = title;
    document.documentElement.lang = language;
    document.documentElement.dataset['appearance'] = appearance;
  },
};
