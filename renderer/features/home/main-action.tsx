/** The one thing that helps, for each verdict; a consent request has three answers. */
import { type ComponentType, useState } from 'react';
import type { Verdict } from '../../../app/contract/protection/verdict.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { goTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { ProtectThisComputer } from '../protect/protect-this-computer.tsx';
import { ConsentActions, Retry, useClosedRequest } from './consent-actions.tsx';
import { OpenLoginInBrowser } from './portal-in-browser.tsx';
import { canBeStopped } from './switch-of.ts';

export function MainAction({ status }: ActionProps) {
  const Action = actions[status.verdict.is];
  return Action === undefined ? null : <Action status={status} />;
}

interface ActionProps {
  status: ServiceStatus;
}

/** The other verdicts need none, or are left by the switch and the button beside it. */
const actions: Partial<Record<Verdict['is'], ComponentType<ActionProps>>> = {
  'not-in-use': WhileNotInUse,
  partly: HowToFix,
  choose: Choose,
  unencrypted: WhileUnencrypted,
  blocked: WhileBlocked,
  'log-in': OpenLogin,
};

/** Whether the band has the answers of the consent request; several requests have theirs below it. */
export function isInBand({
  verdict,
  consentRequests,
}: Pick<ServiceStatus, 'verdict' | 'consentRequests'>): boolean {
  return verdict.is === 'choose' && consentRequests.length === 1;
}

/** What a program that was pointed here by hand sends may leave unencrypted, and can be stopped. */
function WhileNotInUse({ status }: ActionProps) {
  const { verdict, systemDns, protection, clear } = status;
  if (verdict.is === 'not-in-use' && verdict.why === 'coverage-gap') return <HowToFix />;
  return (
    <>
      <Take of={systemDns} />
      {protection.state === 'exposed' && canBeStopped(clear) ? <StopNow /> : null}
    </>
  );
}

function Take({ of: dns }: { of: ServiceStatus['systemDns'] }) {
  return dns?.mechanism == null ? null : <ProtectThisComputer variant="main" />;
}

function Choose({ status }: ActionProps) {
  const [request] = status.consentRequests;
  return request !== undefined && isInBand(status) ? <ConsentActions request={request} /> : null;
}

function WhileUnencrypted({ status: { verdict, systemDns, clear } }: ActionProps) {
  if (verdict.is === 'unencrypted' && verdict.by === 'contest') return <Take of={systemDns} />;
  return canBeStopped(clear) ? <StopNow /> : null;
}

function WhileBlocked({ status: { verdict, systemDns } }: ActionProps) {
  const isLedAway = verdict.is === 'blocked' && verdict.by === 'contest';
  return isLedAway ? <Take of={systemDns} /> : <TryElsewhere />;
}

/** Moves to what goes around Sotto, each with its remedy. */
function HowToFix() {
  const { text } = useWords();
  const show = () => document.getElementById('goes-around')?.focus();
  return (
    <Button variant="main" onClick={show}>
      {text.home.howToFix}
    </Button>
  );
}

/** Sets the strictest policy for the present network, from now on. */
function StopNow() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  async function stop(): Promise<void> {
    const done = await session.call('network.set', { policy: 'refuse' });
    if (!done.ok) tellFailure(done.failure);
  }
  return (
    <Button variant="main" disabled={!live} onClick={stop}>
      {text.home.stop}
    </Button>
  );
}

function TryElsewhere() {
  const { text } = useWords();
  const closed = useClosedRequest(true);
  return (
    <>
      {closed === null ? <RetryNow /> : <Retry id={closed.id} variant="main" />}
      <Button onClick={() => goTo('providers')}>{text.home.otherProvider}</Button>
    </>
  );
}

/** Where nobody was asked, so that there is no consent request to retry. */
function RetryNow() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [trying, setTrying] = useState(false);
  const words = text.home.retry;
  async function retry(): Promise<void> {
    setTrying(true);
    const tried = await session.call('upstream.retry', {});
    setTrying(false);
    if (!tried.ok) return tellFailure(tried.failure);
    const { reached } = tried.value;
    toast('done', reached === null ? words.inVain : words.reached(safe(reached)));
  }
  return (
    <Button variant="main" disabled={!live || trying} onClick={retry}>
      {trying ? words.trying : words.again}
    </Button>
  );
}

function OpenLogin({ status: { portal } }: ActionProps) {
  if (portal === null) return null;
  if (!host.hasLoginWindow()) return <OpenLoginInBrowser portal={portal} />;
  return portal.login?.by === 'window' ? null : <OpenLoginWindow />;
}

function OpenLoginWindow() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  async function open(): Promise<void> {
    const done = await session.call('portal.open', {});
    if (!done.ok) tellFailure(done.failure);
  }
  return (
    <Button variant="main" disabled={!live} onClick={open}>
      {text.portal.open}
    </Button>
  );
}
