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
  /** id of its ledger entry; null where nothing needs to be permitted */
  entry: z.int().positive().nullable(),
});

export const portalStatus = z.strictObject({
  evidence: z.enum(portalEvidence),
  /** host that the portal answered with, a name or an address; null: it answered in the place of others */
  site: z.string().nullable(),
  /** where a login begins */
  url: z.string(),
  since: unixMilliseconds,
  /** the policy is `fallback`, and nobody has opened the login during this stay: whoever can show a window does, now */
  byItself: z.boolean(),
  /** a person has set the verdict aside until the network changes */
  skipped: z.boolean(),
  /** null: none is open */
  login: portalLogin.nullable(),
});

export const openedPortal = z.strictObject({
  url: z.string(),
  /**
   * SOCKS5 with user and password (RFC 1929). Where a program has not learned that, as Chromium and Electron have not, the
   * same port is an HTTP proxy that wants them as Basic credentials: `http=host:port;https=host:port`, and the event "login".
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
  /** what came of it, in one sentence */
  text: z.string(),
});

const nothing = z.strictObject({});

export const portalMethods = {
  /** Looks now, and tries the private paths; nothing is sent where one stands. Replies when it is known what came of it. */
  check: { params: nothing, result: checked },
  /** Begins a login, or begins its time anew: a portal may ask twice. */
  open: { params: nothing, result: openedPortal },
  close: { params: nothing, result: checked },
  /** "This is no login page": policy goes on as if none had been seen, until the network changes. */
  skip: { params: nothing, result: checked },
  /** `site`: as the person was shown it, which must be the one that the portal answers with now. */
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
