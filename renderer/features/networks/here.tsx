/** The network that the machine is on: its hints, the policy in force, and the settings of its links. */

import type { NameClaim } from '../../../app/contract/settings/rule-methods.ts';
import type {
  NetworkDetails,
  NetworkEntry,
  NetworkHints,
  NetworkLink,
} from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Notice } from '../../components/notice.tsx';
import { Facts } from '../../components/page-body.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useAsked } from '../../state/asked.ts';
import { linkTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';
import styles from './networks.module.css';
import { type GeneralPolicy, waits } from './policies.ts';

interface HereProps {
  network: NetworkEntry;
  /** null: not known yet */
  details: NetworkDetails | null;
  general: GeneralPolicy | null;
  onChange(): void;
  onConfirmed(): void;
}

export function Here({ network, details, general, onChange, onConfirmed }: HereProps) {
  const { text } = useWords();
  const live = useLive();
  const { authenticated } = network;
  return (
    <>
      <div className={styles.here}>
        <h3 className={styles.name}>{called(network)}</h3>
        <Chip tone={authenticated ? 'private' : 'wait'}>
          {authenticated ? text.networks.authenticated : text.networks.unauthenticated}
        </Chip>
      </div>
      {details !== null && general !== null && waits(details, general) ? (
        <Waiting network={network} onConfirmed={onConfirmed} />
      ) : null}
      <KnownBy network={network} general={general} />
      <div>
        <Button
          disabled={!live}
          aria-label={text.networks.changeOf(called(network))}
          onClick={onChange}
        >
          {text.networks.change}
        </Button>
      </div>
      {details === null || details.links.length === 0 ? null : <Links links={details.links} />}
    </>
  );
}

function KnownBy({ network, general }: Pick<HereProps, 'network' | 'general'>) {
  const { text, formats } = useWords();
  const { name, label, hints, policy, firstSeen, id } = network;
  const labels = text.networks.facts;
  const { policies } = text.home.network;
  const ofSettings =
    general === null ? text.frame.loading : text.networks.asSettings(policies[general.policy]);
  return (
    <Facts
      of={[
        ...(name === null ? [] : ([[labels.label, safe(label)]] as const)),
        [labels.policy, policy === null ? ofSettings : policies[policy]],
        ...(hints.gateway === null
          ? []
          : ([[labels.gateway, <Gateway key="gateway" hints={hints} />]] as const)),
        ...(hints.domain === null ? [] : ([[labels.domain, safe(hints.domain)]] as const)),
        [labels.firstSeen, formats.dateTime(firstSeen)],
        [labels.id, <code key="id">{safe(id)}</code>],
      ]}
    />
  );
}

function Gateway({ hints: { gateway, gatewayMac } }: { hints: NetworkHints }) {
  const { text } = useWords();
  const address = safe(gateway ?? '');
  return gatewayMac === null ? address : text.networks.via(address, safe(gatewayMac));
}

/** Setting the policy here confirms it. */
function Waiting({ network, onConfirmed }: { network: NetworkEntry; onConfirmed(): void }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const { id, policy } = network;
  const question = text.networks.waiting;
  if (policy === null) return null;

  async function confirm(): Promise<void> {
    const set = await session.call('network.set', { network: id, policy });
    onConfirmed();
    if (set.ok) toast('done', question.done);
    else tellFailure(set.failure);
  }

  return (
    <Notice
      severity="warning"
      title={question.title(text.networks.dialog.names[policy])}
      actions={
        <Button disabled={!live} onClick={() => void confirm()}>
          {question.confirm}
        </Button>
      }
    >
      {question.text}
    </Notice>
  );
}

/** The state of the domains that a link claims; the page Exceptions has the answers. */
function ClaimsOf({ link, claims }: { link: string; claims: readonly NameClaim[] }) {
  const { text } = useWords();
  const { states } = text.exceptions.claims;
  return claims
    .filter((claim) => claim.link === link)
    .map(({ suffix, state }) => (
      <a key={suffix} className={styles.claim} href={linkTo('exceptions')}>
        {text.networks.claim(suffix === '' ? '.' : safe(suffix), states[state])}
      </a>
    ));
}

function Links({ links }: { links: readonly NetworkLink[] }) {
  const { text, formats } = useWords();
  const words = text.networks;
  const claims = useAsked('rule.list', {}, links.map(({ domains }) => domains).join()).value
    ?.claims;
  return (
    <>
      <h3>{words.links}</h3>
      <Rows label={words.links}>
        {links.map(({ name, kind, running, addresses, resolvers, domains }) => (
          <Row key={name}>
            <span className={styles.link}>
              {words.link(safe(name), safe(kind))}
              {running ? null : ` – ${words.down}`}
            </span>
            <span className={styles.quiet}>{addresses.map(safe).join(', ')}</span>
            <span className={styles.resolvers}>
              {resolvers.length === 0
                ? words.noResolvers
                : words.resolversOf(formats.list(resolvers.map(safe)))}
              {domains.length === 0 ? null : ` ${words.domainsOf(formats.list(domains.map(safe)))}`}
              <ClaimsOf link={name} claims={claims ?? []} />
              {resolvers.length === 0 ? null : (
                <span className={styles.quiet}> – {words.provenance(safe(name))}</span>
              )}
            </span>
          </Row>
        ))}
      </Rows>
    </>
  );
}
