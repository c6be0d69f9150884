/** Networks: where this computer is, where it has been, and what may leave it unencrypted there. */
import { useState } from 'react';
import type { NetworkDetails, NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { useAsked } from '../../state/asked.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { appliesAt } from './applies-at.ts';
import { HereCard } from './here-card.tsx';
import { KnownCard } from './known-card.tsx';
import styles from './networks.module.css';
import { generalPolicy } from './policies.ts';
import { useNetworkChanges } from './use-network-changes.tsx';

/** Known networks that are shown at first: a person looks for one of the last. */
const shownAtFirst = 12;

export function NetworksPage() {
  const { text } = useWords();
  const status = useStore(useService().status)?.value;
  // No topic reports networks, so a change of these facts says when to read them again.
  const moved = JSON.stringify([status?.network, status?.groups.map(({ policy }) => policy)]);
  const listed = useAsked('network.list', {}, moved);
  const shown = useAsked('network.show', {}, moved);
  const settings = useAsked('settings.effective', {}, moved).value?.settings ?? [];
  const changes = useNetworkChanges(() => {
    listed.again();
    shown.again();
  });
  if (listed.value === null)
    return (
      <PageBody title={text.frame.pages.networks} about={text.networks.about}>
        <Unknown failure={listed.failure} />
      </PageBody>
    );

  const { networks, unavailable } = listed.value;
  const here = networks.find(({ current }) => current) ?? null;
  const common = (network: NetworkEntry) => ({
    network,
    changes,
    general: generalPolicy(settings),
    applies: appliesAt(network, settings),
  });
  return (
    <PageBody title={text.frame.pages.networks} about={text.networks.about}>
      {here === null ? (
        <Nowhere unavailable={unavailable} />
      ) : (
        <HereCard
          {...common(here)}
          details={detailsOf(here, shown.value)}
          hasPortal={status?.portal != null}
        />
      )}
      <Section title={text.networks.others}>
        <Others networks={networks.filter(({ current }) => !current)}>
          {(network) => <KnownCard key={network.id} {...common(network)} />}
        </Others>
      </Section>
    </PageBody>
  );
}

interface OthersProps {
  /** the last seen first */
  networks: readonly NetworkEntry[];
  children(network: NetworkEntry): React.ReactNode;
}

function Others({ networks, children }: OthersProps) {
  const { text, formats } = useWords();
  const [all, showAll] = useState(false);
  if (networks.length === 0)
    return <EmptyState title={text.networks.none}>{text.networks.noneWhy}</EmptyState>;
  const hidden = all ? 0 : Math.max(0, networks.length - shownAtFirst);
  return (
    <>
      <ul className={styles.cards} aria-label={text.networks.others}>
        {networks.slice(0, networks.length - hidden).map(children)}
      </ul>
      {hidden === 0 ? null : (
        <div>
          <Button onClick={() => showAll(true)}>
            {text.networks.showMore(formats.count(hidden), hidden === 1)}
          </Button>
        </div>
      )}
    </>
  );
}

function Unknown({ failure }: { failure: ReturnType<typeof useAsked>['failure'] }) {
  const { text } = useWords();
  if (failure?.code === 'forbidden')
    return <EmptyState title={text.networks.forbidden}>{text.networks.forbiddenWhy}</EmptyState>;
  return (
    <p role="status">
      {failure === null ? text.frame.loading : <FailureWords failure={failure} />}
    </p>
  );
}

/** Null: what was read is about a network before. */
function detailsOf({ id }: NetworkEntry, read: NetworkDetails | null): NetworkDetails | null {
  return read?.network.id === id ? read : null;
}

function Nowhere({ unavailable }: { unavailable: string | null }) {
  const { text } = useWords();
  if (unavailable === null)
    return <EmptyState title={text.networks.nowhere}>{text.networks.nowhereWhy}</EmptyState>;
  return (
    <EmptyState title={text.networks.unavailable}>
      <span lang="en">{safe(unavailable)}</span>
    </EmptyState>
  );
}
