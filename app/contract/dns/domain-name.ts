/** Domain names as people may write them: in ASCII, labels of letters, digits, "-" and "_". */

/** The root passes on purpose: callers have errors of their own that explain why it is not allowed there. */
export function isDomainName(text: string): boolean {
  return text === '.' || (text.length <= 254 && labels.test(text));
}

/** In one pass, because a list of names has a hundred thousand. */
const labels = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?$/;
