/** The address of an upstream by HTTPS (RFC 8484), which Sotto does not speak and other programs do. Pure. */

export interface HttpsAddress {
  /** as it was given: it may be a URI template */
  template: string;
  host: string;
  port: number;
  path: string;
}

/** null: it is none. What only a browser would take is none either. */
export function readHttpsAddress(text: string): HttpsAddress | null {
  const [, base = ''] = /^(https:\/\/[!-z|~]{1,200})(\{\?dns\})?$/i.exec(text) ?? [];
  const url = URL.parse(base);
  if (url === null || url.username !== '' || url.password !== '' || base.includes('#')) return null;
  if (/[<>"'\\^`{}]/.test(base)) return null;
  const port = url.port === '' ? 443 : Number(url.port);
  return { template: text, host: url.hostname, port, path: `${url.pathname}${url.search}` };
}
