/** A person's pattern for names – `*` any octets, `?` one – matched without regular expressions: patterns are input. */

/** Case and a final dot make no difference, as in DNS. */
export function matchesName(pattern: string, name: string): boolean {
  const glob = normal(pattern);
  const text = normal(name);
  let [p, t] = [0, 0];
  // where to resume when the last star has to swallow one more
  let [star, swallowed] = [-1, 0];
  while (t < text.length) {
    if (glob[p] === '*') {
      star = p++;
      swallowed = t;
    } else if (p < glob.length && (glob[p] === '?' || glob[p] === text[t])) {
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

function normal(name: string): string {
  const lower = name.toLowerCase();
  return lower.length > 1 && lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
