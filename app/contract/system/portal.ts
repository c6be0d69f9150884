/** A network that wants a login before it lets anything through: docs/design/portals.md. */
import { z } from 'zod';

const unixMilliseconds = z.number();

/** Strongest first. */
export const portalEvidence = ['api', 'network-manager', 'address', 'names'] as const;

export const portalLogin = z.strictObject({
  /** `window`: through the port of `portal.open`; `browser`: the one site, for every program on this machine */
  by: z.enum(['window', 'browser']),
  since: unixMilliseconds,
  until: unixMilliseconds,
  who: z.string(),
  /** id of its ledger entry; null where no permission is needed */
  entry: z.int().positive().nullable(),
});

export const portalStatus = z.strictObject({
  evidence: z.enum(portalEvidence),
  /** host that the portal answered with, a name or an address; null: it answered in the place of other hosts */
  site: z.string().nullable(),
  /** where a login begins */
  url: z.string(),
  since: unixMilliseconds,
  /**
   * the policy is `fallback`, and no client has opened the login during this stay: a client that can show a window does so now
   */
  byItself: z.boolean(),
  /** a person has set the verdict aside until the network changes */
  skipped: z.boolean(),
  /** null: none is open */
  login: portalLogin.nullable(),
});

export const openedPortal = z.strictObject({
  url: z.string(),
  /**
   * SOCKS5 with user and password (RFC 1929). For programs without it, such as Chromium and Electron, the same port is an HTTP
   * proxy that wants them as Basic credentials: `http=host:port;https=host:port`, and the event "login".
   */
  proxy: z.strictObject({
    host: z.string(),
    port: z.int(),
    user: z.string(),
    password: z.string(),
  }),
  until: unixMilliseconds,
});

const checked = z.strictObject({
  portal: portalStatus.nullable(),
  /** the result, in one sentence */
  text: z.string(),
});

const nothing = z.strictObject({});

export const portalMethods = {
  /** Looks now, and tries the private paths; nothing is sent where one stands. Replies when the result is known. */
  check: { params: nothing, result: checked },
  /** Begins a login, or starts the time of an open one anew, because a portal may ask twice. */
  open: { params: nothing, result: openedPortal },
  close: { params: nothing, result: checked },
  /** "This is no login page": the policy holds as if none had been seen, until the network changes. */
  skip: { params: nothing, result: checked },
  /** `site`: as the person saw it; it must be the one that the portal answers with now. */
  allowSite: {
    params: z.strictObject({
      site: z.string().min(1).max(255),
      minutes: z.number().positive().max(60),
    }),
    result: z.strictObject({ url: z.string(), site: z.string(), until: unixMilliseconds }),
  },
};

export type PortalEvidence = (typeof portalEvidence)[number];
export type PortalLogin = z.infer<typeof portalLogin>;
export type PortalStatus = z.infer<typeof portalStatus>;
export type OpenedPortal = z.infer<typeof openedPortal>;
export type CheckedPortal = z.infer<typeof checked>;
