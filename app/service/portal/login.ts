/**
 * One login from its beginning to its end: the port that only it may use, its budget, and the tries of private paths after each
 * movement on the port. It ends when its time is over, when a person or the service ends it, or when a private upstream has
 * responded; nothing that the network says ends it.
 */
import { type Result, succeed } from '../../contract/errors.ts';
import type { PortalEvidence, PortalLogin } from '../../contract/system/portal.ts';
import { type LoginPort, openLoginPort } from './login-port.ts';
import type { LoginRoute } from './login-route.ts';

export interface Login {
  by: PortalLogin['by'];
  /** where it began, and why */
  url: string;
  evidence: PortalEvidence;
  /** browser: the one name; empty for a window, and where no name needs a permission */
  site: string;
  since: number;
  until: number;
  who: string;
  /** null: in a browser */
  port: LoginPort | null;
  /** Starts its time anew. */
  prolong(until: number): void;
  /** Closes its port and cuts the connections through it. */
  end(): void;
}

export interface LoginTerms
  extends Pick<Login, 'by' | 'url' | 'evidence' | 'site' | 'since' | 'until' | 'who'> {
  now(): number;
  onTimeOver(): void;
  /** The person may have got further: the private paths are worth a try. */
  onMovement(): void;
}

/** After so much silence a page counts as complete. */
const stillMs = 250;
/** The private paths are tried this often in any case. */
const everyMs = 2_000;

/** `route`: for a window; null for a browser, which has its own. */
export async function beginLogin(
  terms: LoginTerms,
  route: LoginRoute | null,
): Promise<Result<Login>> {
  const { by, url, evidence, site, since, who, now, onMovement, onTimeOver } = terms;
  let still: NodeJS.Timeout | null = null;
  const moved = () => {
    still ??= setTimeout(() => {
      still = null;
      onMovement();
    }, stillMs);
  };
  const opened = route === null ? succeed(null) : await openLoginPort(route, moved);
  if (!opened.ok) return opened;
  const port = opened.value;
  const every = setInterval(onMovement, everyMs);
  let over: NodeJS.Timeout;

  const login: Login = {
    by,
    url,
    evidence,
    site,
    since,
    until: terms.until,
    who,
    port,
    prolong(until) {
      clearTimeout(over);
      over = setTimeout(onTimeOver, until - now());
      login.until = until;
    },
    end() {
      clearTimeout(over);
      clearInterval(every);
      if (still !== null) clearTimeout(still);
      still = null;
      port?.close();
    },
  };
  login.prolong(terms.until);
  return succeed(login);
}
