/** Counts the pages that looks have requested, each as it leaves: docs/design/portals.md. */
import type { OwnProbe } from '../../contract/protection/own-probes.ts';

export interface PagesSent {
  /** A request leaves over a connection that stands. */
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
