/** A network that wants a login: the evidence, and how to log in from here. DNS stays private meanwhile. */
import { useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type { PortalStatus } from '../../../app/contract/system/portal.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './consent.module.css';
import { InBrowser } from './portal-in-browser.tsx';

interface PortalLoginProps {
  portal: PortalStatus;
  /** the band has the button that opens the login */
  inBand: boolean;
}

export function PortalLogin({ portal, inBand }: PortalLoginProps) {
  const { text } = useWords();
  const words = text.portal;
  return (
    <section className={styles.request} aria-label={words.title}>
      <h2>{words.title}</h2>
      {portal.skipped ? <Skipped /> : <Wanted portal={portal} inBand={inBand} />}
    </section>
  );
}

function Wanted({ portal, inBand }: PortalLoginProps) {
  const { text, formats } = useWords();
  const now = useNow();
  const words = text.portal;
  const { evidence, site, login } = portal;
  const { session } = useService();
  const act = (method: 'portal.open' | 'portal.close' | 'portal.skip') => () =>
    session.call(method, {});
  const inWindow = host.hasLoginWindow();
  const isShown = inWindow && login?.by === 'window';
  const hasOpen = isShown || (inWindow && !inBand);
  return (
    <>
      <p>
        {words.evidence[evidence]} {site === null ? null : words.from(safe(site))}
      </p>
      <HowToOpen portal={portal} isShown={isShown} />
      <div className={styles.actions}>
        {hasOpen ? (
          <Does what={act('portal.open')} main label={isShown ? words.show : words.open} />
        ) : null}
        <LookAgain />
        {login === null ? (
          <Does what={act('portal.skip')} label={words.skip} />
        ) : (
          <Does what={act('portal.close')} label={words.close} />
        )}
      </div>
      {login === null ? null : (
        <p className={styles.deadline}>{words.left(formats.countdown(login.until - now))}</p>
      )}
    </>
  );
}

function HowToOpen({ portal, isShown }: { portal: PortalStatus; isShown: boolean }) {
  const { text } = useWords();
  if (!host.hasLoginWindow()) return <InBrowser portal={portal} />;
  return <p>{isShown ? text.portal.windowOpen : text.portal.window}</p>;
}

function Skipped() {
  const { text } = useWords();
  return (
    <>
      <p>{text.portal.skipped}</p>
      <div className={styles.actions}>
        <LookAgain />
      </div>
    </>
  );
}

interface DoesProps {
  what(): Promise<Result<unknown>>;
  label: string;
  main?: boolean;
}

function Does({ what, label, main = false }: DoesProps) {
  const live = useLive();
  async function run(): Promise<void> {
    const done = await what();
    if (!done.ok) tellFailure(done.failure);
  }
  return (
    <Button variant={main ? 'main' : 'plain'} disabled={!live} onClick={run}>
      {label}
    </Button>
  );
}

function LookAgain() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [looking, setLooking] = useState(false);
  const words = text.portal;
  async function look(): Promise<void> {
    setLooking(true);
    const looked = await session.call('portal.check', {});
    setLooking(false);
    if (!looked.ok) return tellFailure(looked.failure);
    toast('done', looked.value.portal === null ? words.private : words.still);
  }
  return (
    <Button disabled={!live || looking} onClick={look}>
      {looking ? words.checking : words.check}
    </Button>
  );
}
