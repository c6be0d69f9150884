/** Counts the pages that looks have asked for, each as it leaves: docs/design/portals.md. */
import type { OwnProbe } from '../../contract/protection/own-probes.ts';

export interface PagesSent {
  /** One is on its way to somebody who took the connection. */
  add(url: URL): void;
  list(): OwnProbe[];
}

export function countPages(now: () => number): PagesSent {
  const pages: OwnProbe = { kind: 'portal-pages', count: 0, last: null };
  const hellos: OwnProbe = { kind: 'portal-api', count: 0, last: null };
  return {
    add(url) {
      const sent = url.protocol === 'https:' ? hellos : pages;
      sent.count++;
      sent.last = now();
    },
    list: () => [{ ...pages }, { ...hellos }],
  };
}
