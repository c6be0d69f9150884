/** International names as the wire has them: in their "xn--" form (RFC 5891, UTS 46), on this side of it and in a browser alike. */

/** ASCII stays as it is, for others to judge. Null: it has letters beyond ASCII, and is no name. */
export function asciiName(text: string): string | null {
  if (isAscii.test(text)) return text;
  if (structural.test(text)) return null;
  // A last label of digits would be taken for the end of an IPv4 address, so that one stands behind that has letters.
  const host = hostOf(`http://${text.replace(ideographicStops, '.').replace(/\.$/, '')}.x/`);
  if (host === null || !host.endsWith('.x')) return null;
  return `${host.slice(0, -2)}${endsWithDot.test(text) ? '.' : ''}`;
}

/** For a schema, which says itself what is wrong with the rest. */
export function asciiOrSame(text: string): string {
  return asciiName(text) ?? text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII has them, too
const isAscii = /^[\x00-\x7f]*$/;

/** A URL would take them for a part of itself, leave them out, or write them into a label beside others. */
const structural = /[\s\p{Cc}%/?#@:[\]\\<>^|"`{}=*,;~!$&'()+]/u;

/** What UTS 46 reads as a dot. */
const ideographicStops = /[\u3002\uff0e\uff61]/g;
const endsWithDot = /[.\u3002\uff0e\uff61]$/;

/** The oldest Electron that runs the tray has no URL.parse. */
function hostOf(url: string): string | null {
  try {
    return new URL(url).hostname;
  } catch {
    return null;
  }
}
