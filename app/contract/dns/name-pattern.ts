/** A person's pattern for names – `*` any octets, `?` one – matched without regular expressions, because patterns are input. */

/** Case and a final dot make no difference, as in DNS. */
export function matchesName(pattern: string, name: string): boolean {
  return matchesGlob(normal(pattern), normal(name));
}

/** Letter for letter; `?` stands for one code point, as in SQLite's GLOB. */
export function matchesGlob(pattern: string, text: string): boolean {
  const glob = characters(pattern);
  const subject = characters(text);
  let [p, t] = [0, 0];
  // where to resume when the last star has to take one more
  let [star, swallowed] = [-1, 0];
  while (t < subject.length) {
    if (glob[p] === '*') {
      star = p++;
      swallowed = t;
    } else if (glob[p] === '?' || glob[p] === subject[t]) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  while (glob[p] === '*') p++;
  return p === glob.length;
}

/** A string is almost always enough: a code point beyond 16 bits is rare in a name. */
function characters(text: string): string | string[] {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
}

function normal(name: string): string {
  const lower = name.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
