/** The waiting decision: no private path works here, and nothing is sent until a person answers. */
import type { ConsentRequest } from '../../../app/contract/protection/consent-request.ts';
import type { Said } from '../../../app/contract/sentences/sentence.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { LockLine } from '../../components/lock-line.tsx';
import { Told } from '../../components/told.tsx';
import { useNow } from '../../state/now.ts';
import { useWords } from '../../text/use-text.ts';
import { useSettings } from '../upstreams/use-settings.ts';
import styles from './consent.module.css';
import { ConsentActions, Retry, useClosedRequest } from './consent-actions.tsx';
import { isInBand } from './main-action.tsx';

/** The open consent requests. Where none is open and queries are refused, a button that opens one again. */
export function Consent({ status }: { status: ServiceStatus }) {
  const { consentRequests, protection, health, verdict } = status;
  const { text } = useWords();
  const closed = useClosedRequest(protection.state === 'refusing' && verdict.is !== 'blocked');
  if (consentRequests.length === 0 && closed === null) return null;
  const inBand = isInBand(status);
  return (
    <section className={styles.requests} aria-label={text.home.consent.title}>
      {consentRequests.map((request) => (
        <OpenRequest
          key={request.id}
          request={request}
          says={whyAsked(request, health)}
          inBand={inBand}
        />
      ))}
      {consentRequests.length === 0 && closed !== null ? <ClosedRequest request={closed} /> : null}
    </section>
  );
}

/** The request's health issue says why there is a request, and how to answer it elsewhere. */
function whyAsked({ group }: ConsentRequest, health: ServiceStatus['health']): readonly Said[] {
  const issue = health.find(({ code, subject }) => code === 'asking' && subject === group);
  return (issue?.says ?? []).filter(
    ({ code }) => !['of-group', 'answer-consent-request'].includes(code),
  );
}

interface OpenRequestProps {
  request: ConsentRequest;
  says: readonly Said[];
  /** the band has the headline and the answers */
  inBand: boolean;
}

function OpenRequest({ request, says, inBand }: OpenRequestProps) {
  const { text, formats } = useWords();
  const now = useNow();
  const words = text.home.consent;
  const locks = useSettings();
  const { upstream, networkLabel, group, why, consent, deadline } = request;
  return (
    <div className={styles.request}>
      {inBand ? null : <h2>{words.title}</h2>}
      {group === '' ? null : (
        <p>
          {words.where(safe(upstream), safe(networkLabel))} {words.group(safe(group))}
        </p>
      )}
      <p>
        <Told english={why} says={says} />
      </p>
      <p>{words.means}</p>
      {consent === 'administrator' ? (
        <p>
          {words.administrator} <LockLine of={locks?.setting('consent')} />
        </p>
      ) : null}
      {inBand ? null : (
        <div className={styles.actions}>
          <ConsentActions request={request} />
        </div>
      )}
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
