/** A person's pattern for names – `*` any characters, `?` one – as SQLite's GLOB understands it. */

/** Each star multiplies the work of a match, and a pattern is a stranger's input. */
const mostStars = 8;
/** A name of 253 octets, every one of them escaped as \DDD. */
const longestPattern = 4 * 253;

/** Null when the pattern is too long or has too many stars. */
export function globPattern(pattern: string): string | null {
  if (pattern.length > longestPattern) return null;
  const plain = pattern.toLowerCase().replace(/\*+/g, '*');
  if (plain.split('*').length - 1 > mostStars) return null;
  return withoutFinalDot(plain).replaceAll('[', '[[]');
}

/** `example.com.` and `example.com` are one name; an escaped dot belongs to its label. */
function withoutFinalDot(name: string): string {
  return name.length > 1 && /[^\\](\\\\)*\.$/.test(name) ? name.slice(0, -1) : name;
}
