/** A page of known text: a network that answers for it with another text answers for every page. */
import { z } from 'zod';
import { readUrl } from '../text/read-url.ts';

export const portalProbe = z.strictObject({
  /** http, with a host name: a page at an address would prove nothing about names */
  url: z.string().refine(isPlainPage, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not a page such as "http://example.net/check.txt"`,
  }),
  /** the whole text, without white space around it */
  text: z.string().min(1).max(1000),
});

export function isPlainPage(text: string): boolean {
  const url = readUrl(text);
  const isName = url !== null && !/^[\d.]+$|^\[/.test(url.hostname);
  return isName && url.protocol === 'http:' && url.username === '' && url.hash === '';
}
