/** The Captive Portal API (RFC 8908), at the address that the network gave (RFC 8910). */
import { z } from 'zod';
import { readUrl } from '../../contract/text/read-url.ts';
import type { Readings } from './evidence.ts';
import { absolute, type FetchedPage } from './fetch-page.ts';

/** RFC 8910, section 2: "there is no captive portal". */
const unrestricted = 'urn:ietf:params:capport:unrestricted';

/** RFC 8908, section 5: the page for people is reached over TLS; further keys are allowed. */
const state = z.looseObject({ captive: z.boolean(), 'user-portal-url': z.string().optional() });

/** An address to which a request can go; "none" where the network says that there is no portal; null: neither. */
export function readApiAddress(text: string): URL | 'none' | null {
  if (text === unrestricted) return 'none';
  const url = readUrl(text);
  const usable = url?.protocol === 'https:' && url.username === '' && url.password === '';
  return usable ? url : null;
}

/** RFC 8908, section 4: the media type is part of it. */
export function readApiState(page: FetchedPage | null): Readings['api'] {
  if (page === null || page.status !== 200 || page.contentType !== 'application/captive+json')
    return null;
  try {
    const { captive, 'user-portal-url': url } = state.parse(JSON.parse(page.body));
    return { captive, url: readUrl(url ?? '')?.protocol === 'https:' ? absolute(url) : null };
  } catch {
    return null;
  }
}
