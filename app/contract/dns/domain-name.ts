/** Domain names as people may write them: in ASCII, labels of letters, digits, "-" and "_", the last of them no number. */

/** The root passes on purpose: callers have errors of their own that explain why it is not allowed there. */
export function isDomainName(text: string): boolean {
  return text === '.' || (text.length <= 254 && labels.test(text) && !endsWithNumber.test(text));
}

/** No top-level domain is a number: such a text is an IPv4 address, or begins one (RFC 1123, section 2.1; WHATWG URL, "ends in a number"). */
const endsWithNumber = /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i;

/** In one pass, because a list of names has a hundred thousand. */
const labels = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?$/;
