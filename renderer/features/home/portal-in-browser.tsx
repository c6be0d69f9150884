/** A login without a window of its own: the one site that is shown may be resolved by this network, for some minutes. */

import { isIPv4, isIPv6 } from '../../../app/contract/dns/socket-address.ts';
import type { PortalStatus } from '../../../app/contract/system/portal.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './consent.module.css';

const minutes = 5;
const minute = 60_000;

export function InBrowser({ portal: { site, url, login } }: { portal: PortalStatus }) {
  const { text, formats } = useWords();
  const words = text.portal.browser;
  const name = nameToLookUp(site);
  if (name === null || login?.by === 'browser')
    return (
      <>
        <p>{name === null ? words.direct : words.next}</p>
        <LoginLink url={url} />
      </>
    );
  const duration = formats.duration(minutes * minute);
  return (
    <>
      <p id={allowId} tabIndex={-1}>
        {words.means(safe(name), duration)}
      </p>
      <Allow site={name} duration={duration} />
    </>
  );
}

const allowId = 'allow-login-site';

/** Where a name must be looked up first, it leads to the words that say what that means. */
export function OpenLoginInBrowser({ portal: { site, url, login } }: { portal: PortalStatus }) {
  const { text } = useWords();
  const live = useLive();
  const isDirect = nameToLookUp(site) === null || login?.by === 'browser';
  if (isDirect && !isWebAddress(url)) return null;
  const go = () => (isDirect ? host.openElsewhere(url) : document.getElementById(allowId)?.focus());
  return (
    <Button variant="main" disabled={!live} onClick={go}>
      {text.portal.open}
    </Button>
  );
}

/** null: the page has an address. */
function nameToLookUp(site: string | null): string | null {
  const isAddress = site === null || isIPv4(site) || isIPv6(site.replace(/^\[|\]$/g, ''));
  return isAddress ? null : site;
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

function Allow({ site, duration }: { site: string; duration: string }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  async function allow(): Promise<void> {
    const allowed = await session.call('portal.allowSite', { site, minutes });
    if (!allowed.ok) tellFailure(allowed.failure);
  }
  return (
    <div className={styles.actions}>
      <Button variant="main" disabled={!live} onClick={allow}>
        {text.portal.browser.allow(safe(site), duration)}
      </Button>
    </div>
  );
}

/** The page belongs to the network, and must learn nothing about this one. */
function LoginLink({ url }: { url: string }) {
  const { text } = useWords();
  if (!isWebAddress(url)) return null;
  return (
    <p>
      <a href={url} target="_blank" rel="noopener noreferrer">
        {text.portal.browser.address(safe(url))}
      </a>
    </p>
  );
}
