/** The waiting decision: no private path works here, and nothing is sent until a person answers. */
import { useEffect, useState } from 'react';
import type { ConsentRequest } from '../../../app/contract/protection/consent-request.ts';
import type { Said } from '../../../app/contract/sentences/sentence.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Told } from '../../components/told.tsx';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './consent.module.css';

const choices = [10, 30, 60] as const;
const minute = 60_000;

/** The open consent requests. Where none is open and queries are refused, a button that opens one again. */
export function Consent({
  status: { consentRequests, protection, health },
}: {
  status: ServiceStatus;
}) {
  const { state } = protection;
  const { text } = useWords();
  const closed = useClosedRequest(state === 'refusing');
  if (consentRequests.length === 0 && closed === null) return null;
  return (
    <section className={styles.consentRequests} aria-label={text.home.consent.title}>
      {consentRequests.map((request) => (
        <OpenRequest key={request.id} request={request} says={whyAsked(request, health)} />
      ))}
      {consentRequests.length === 0 && closed !== null ? <ClosedRequest request={closed} /> : null}
    </section>
  );
}

/** The newest request, where a person or the deadline has answered it with "stay private". */
function useClosedRequest(wanted: boolean): ConsentRequest | null {
  const { session } = useService();
  const live = useLive();
  const [closed, setClosed] = useState<ConsentRequest | null>(null);
  useEffect(() => {
    if (!wanted || !live) return;
    let current = true;
    void session.call('consent.list', {}).then((listed) => {
      if (current) setClosed(listed.ok ? newestIfClosed(listed.value.consentRequests) : null);
    });
    return () => {
      current = false;
    };
  }, [session, live, wanted]);
  return wanted ? closed : null;
}

function newestIfClosed([newest]: readonly ConsentRequest[]): ConsentRequest | null {
  const isClosed = newest?.state === 'denied' || newest?.state === 'unanswered';
  return isClosed ? newest : null;
}

/** The request's health issue says why there is a request, and how to answer it elsewhere. */
function whyAsked({ group }: ConsentRequest, health: ServiceStatus['health']): readonly Said[] {
  const issue = health.find(({ code, subject }) => code === 'asking' && subject === group);
  return (issue?.says ?? []).filter(
    ({ code }) => !['of-group', 'answer-consent-request'].includes(code),
  );
}

function OpenRequest({ request, says }: { request: ConsentRequest; says: readonly Said[] }) {
  const { text, formats } = useWords();
  const { session } = useService();
  const live = useLive();
  const now = useNow();
  const words = text.home.consent;
  const { id, upstream, networkLabel, group, why, consent, deadline } = request;

  async function allow(minutes: number): Promise<void> {
    const done = await session.call('consent.allow', { id, minutes });
    if (!done.ok) tellFailure(done.failure);
  }
  async function deny(): Promise<void> {
    const done = await session.call('consent.deny', { id });
    if (done.ok) toast('done', words.denied);
    else tellFailure(done.failure);
  }

  return (
    <div className={styles.request}>
      <h2>{words.title}</h2>
      {group === '' ? null : (
        <p>
          {words.where(safe(upstream), safe(networkLabel))} {words.group(safe(group))}
        </p>
      )}
      <p>
        <Told english={why} says={says} />
      </p>
      <p>{words.means}</p>
      {consent === 'administrator' ? <p>{words.administrator}</p> : null}
      <div className={styles.actions}>
        <Button variant="main" disabled={!live} onClick={deny}>
          {words.deny}
        </Button>
        <Retry id={id} />
        <Menu label={words.allow(formats.duration(choices[0] * minute))} disabled={!live}>
          {choices.map((minutes) => (
            <MenuItem key={minutes} onSelect={() => allow(minutes)}>
              {words.allow(formats.duration(minutes * minute))}
            </MenuItem>
          ))}
        </Menu>
      </div>
      <p className={styles.deadline}>{words.deadline(formats.countdown(deadline - now))}</p>
    </div>
  );
}

function ClosedRequest({ request: { id } }: { request: ConsentRequest }) {
  const { text } = useWords();
  return (
    <div className={styles.request}>
      <p>{text.home.consent.denied}</p>
      <div className={styles.actions}>
        <Retry id={id} />
      </div>
    </div>
  );
}

function Retry({ id }: { id: string }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [trying, setTrying] = useState(false);
  const words = text.home.consent;

  async function retry(): Promise<void> {
    setTrying(true);
    const tried = await session.call('consent.retry', { id });
    setTrying(false);
    if (!tried.ok) return tellFailure(tried.failure);
    const { reached } = tried.value;
    toast('done', reached === null ? words.inVain : words.reached(safe(reached)));
  }

  return (
    <Button disabled={!live || trying} onClick={retry}>
      {trying ? words.retrying : words.retry}
    </Button>
  );
}
