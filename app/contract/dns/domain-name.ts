/** Domain names as people may write them: in ASCII, labels of letters, digits, "-" and "_". */

/** The root passes on purpose: callers have errors of their own that explain why it is not allowed there. */
export function isDomainName(text: string): boolean {
  if (text === '.') return true;
  const labels = text.replace(/\.$/, '').split('.');
  return (
    text.length <= 254 && labels.every((label) => /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/.test(label))
  );
}
