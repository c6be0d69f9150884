/** Addresses of pages as a person or a network writes them. */
import { isIPv4 } from '../dns/socket-address.ts';

/**
 * Null: it is none, or a browser would repair it into one that nobody wrote: it leaves out blanks and line ends, turns backslashes
 * round, adds slashes, and takes "http://192.0.2.010" for 192.0.2.8.
 */
export function readUrl(text: string): URL | null {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text) || /^\s|\s$|[\p{Cc}\\]/u.test(text)) return null;
  const url = parsed(text);
  if (url === null) return null;
  const isWhole = !hasHost.has(url.protocol) || /^[a-z]+:\/\/[^/?#]/i.test(text);
  return isWhole && (!isIPv4(url.hostname) || text.includes(url.hostname)) ? url : null;
}

const hasHost: ReadonlySet<string> = new Set(['http:', 'https:']);

/** The oldest Electron that runs the tray has no URL.parse. */
function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
