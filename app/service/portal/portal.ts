/** A network that wants a login, and how a person logs in while the system's DNS stays what it was: docs/design/portals.md. */
import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { OwnProbe } from '../../contract/protection/own-probes.ts';
import type {
  CheckedPortal,
  OpenedPortal,
  PortalLogin,
  PortalStatus,
} from '../../contract/system/portal.ts';
import type { PortalFacts } from '../protection/portal-facts.ts';
import type { Protection } from '../protection/protection.ts';
import { beginLogin, type Login, type LoginTerms } from './login.ts';
import { loginFacts, needsPermission, openedOf } from './login-facts.ts';
import { createLoginRoute, type LoginRoute } from './login-route.ts';
import { countPages } from './pages-sent.ts';
import { type Found, type WatchParts, watchPortal } from './portal-watch.ts';
import { noLogin, notInForce, otherSite, sayFound, sayPrivate, setAside } from './portal-words.ts';
import { resolveAtNetwork } from './resolve-at-network.ts';

export interface PortalParts extends WatchParts {
  protection: WatchParts['protection'] & Pick<Protection, 'standing' | 'setPortal'>;
  /** why the network must not answer for this name, which is the person's own; null: no objection */
  ownName(site: string): Promise<string | null>;
  onChange(): void;
}

export interface Portal {
  status(): PortalStatus | null;
  /** What looks have sent in cleartext themselves; the engine counts what it sends. */
  ownProbes(): OwnProbe[];
  /** Something may have changed: engine, network, switch, settings. */
  observe(): void;
  check(): Promise<Result<CheckedPortal>>;
  open(who: string): Promise<Result<OpenedPortal>>;
  close(): Promise<Result<CheckedPortal>>;
  skip(): Promise<Result<CheckedPortal>>;
  allowSite(site: string, minutes: number, who: string): Promise<Result<OpenedSite>>;
  end(): Promise<void>;
}

type OpenedSite = { url: string; site: string; until: number };

export function createPortal(parts: PortalParts): Portal {
  const { engine, protection, now } = parts;
  let login: Login | null = null;
  /** the stay on which a person has begun a login */
  let begunOn: number | null = null;
  let published: PortalFacts | null = null;
  let publishing: Promise<void> = Promise.resolve();
  const pages = countPages(now);
  const watch = watchPortal(
    { ...parts, onSent: pages.add },
    {
      isLoginOpen: () => login !== null,
      onOver: (why) => endLogin(why),
      onFacts: () => publish(),
    },
  );

  /** The facts are in force when it resolves. */
  async function publish(why = 'the login is over'): Promise<void> {
    const facts = {
      ...watch.facts(),
      login: login && loginFacts(login, protection.view(engine.status()).here),
    };
    if (!isDeepStrictEqual(facts, published)) {
      published = facts;
      publishing = protection.setPortal(facts, why).catch(parts.onBug).then(parts.onChange);
    }
    await publishing;
  }

  function endLogin(why: string): void {
    if (login === null) return;
    const { site } = login;
    login.end();
    login = null;
    const ended = publish(why);
    // Programs learned the site's addresses from the network, so the caches forget them now.
    if (site !== '') void ended.then(parts.flushSystemCaches);
  }

  /** Null: it has none. */
  function entryOf({ site }: Login): number | null {
    const entries = protection.standing();
    return entries.find((one) => one.class === 'portal' && one.rule === site)?.id ?? null;
  }

  async function begin(
    { url, evidence }: Found,
    asked: Pick<LoginTerms, 'by' | 'site' | 'who'> & { minutes: number },
  ): Promise<Result<Login>> {
    const { by, site, who, minutes } = asked;
    const since = now();
    const begun = await beginLogin(
      {
        ...{ by, url, evidence, site, who, since, until: since + minutes * 60_000, now },
        onTimeOver: () => endLogin('its time ran out'),
        onMovement: () => void watch.tryPrivately(),
      },
      by === 'window' ? routeTo(url) : null,
    );
    if (!begun.ok) return begun;
    endLogin('another login began');
    login = begun.value;
    begunOn = parts.stay();
    watch.observe();
    await publish();
    if (!needsPermission(begun.value) || entryOf(begun.value) !== null) return begun;
    if (login === begun.value) endLogin('never in force');
    return notInForce();
  }

  function routeTo(url: string): LoginRoute {
    return createLoginRoute({
      async resolve(name) {
        const place = parts.place();
        return place === null ? [] : await resolveAtNetwork(engine, place, name, 'login');
      },
      whereabouts() {
        const place = parts.place();
        return place === null || login?.by !== 'window' ? null : { place, url };
      },
    });
  }

  /** Null: there is no login page. */
  function standing(): Found | null {
    return watch.skipped() || watch.step() === 'private' ? null : watch.found();
  }

  const nothingToOpen = () => (watch.skipped() && watch.found() !== null ? setAside() : noLogin());

  function status(): PortalStatus | null {
    const found = watch.found();
    if (found === null) return null;
    const { evidence, site, url, since } = found;
    const skipped = watch.skipped();
    const [defaultGroup] = protection.view(engine.status()).rules;
    const unopened = login === null && begunOn !== parts.stay() && !skipped;
    const byItself = defaultGroup?.policy === 'fallback' && unopened;
    return { evidence, site, url, since, byItself, skipped, login: loginStatus() };
  }

  function loginStatus(): PortalLogin | null {
    if (login === null) return null;
    const { by, since, until, who } = login;
    return { by, since, until, who, entry: needsPermission(login) ? entryOf(login) : null };
  }

  /** Why a browser may not log in at this site; null: it may. */
  async function whyNotAt(site: string, found: Found): Promise<Result<never> | null> {
    if (site !== found.site) return otherSite(found.site);
    const against = isIP(site) === 0 ? await parts.ownName(site) : null;
    return against === null
      ? null
      : fail('site-refused', against, 'log in by the window instead', 'site');
  }

  const checked = (text: string): Result<CheckedPortal> => succeed({ portal: status(), text });

  return {
    status,
    ownProbes: pages.list,
    observe: () => watch.observe(),

    async check() {
      watch.skip(false);
      const step = watch.step();
      if (step === 'private') return checked(sayPrivate(protection.view(engine.status()).path));
      if (step === 'look') await Promise.all([watch.look(), watch.tryPrivately()]);
      return checked(sayFound(watch.situation(), watch.found()));
    },

    async open(who) {
      const found = standing();
      if (found === null) return nothingToOpen();
      const { minutes } = protection.inForce().settings.portal;
      if (login?.by === 'window' && login.port !== null) {
        login.prolong(now() + minutes * 60_000);
        await publish();
        return succeed(openedOf(login, login.port));
      }
      const begun = await begin(found, { by: 'window', site: '', minutes, who });
      if (!begun.ok) return begun;
      const { port } = begun.value;
      return port === null ? notInForce() : succeed(openedOf(begun.value, port));
    },

    async close() {
      endLogin('closed');
      await publish();
      watch.observe();
      return checked('No login is open.');
    },

    async skip() {
      if (watch.found() === null) return noLogin();
      watch.skip(true);
      endLogin('set aside');
      await publish();
      return checked('Set aside: policy goes on as if no login page had been seen here.');
    },

    async allowSite(site, minutes, who) {
      const found = standing();
      if (found === null) return nothingToOpen();
      const refused = await whyNotAt(site, found);
      if (refused !== null) return refused;
      const named = isIP(site) === 0 ? site : '';
      const begun = await begin(found, { by: 'browser', site: named, minutes, who });
      return begun.ok ? succeed({ url: begun.value.url, site, until: begun.value.until }) : begun;
    },

    async end() {
      login?.end();
      await watch.end();
    },
  };
}
