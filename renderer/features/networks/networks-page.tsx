/** Networks: where this machine is, where it has been, and what may happen there. */
import { useState } from 'react';
import type { NetworkDetails, NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { Rows } from '../../components/rows.tsx';
import { useAsked } from '../../state/asked.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';
import { Here } from './here.tsx';
import { NetworkDialog } from './network-dialog.tsx';
import { NetworkRow } from './network-row.tsx';
import { type GeneralPolicy, generalPolicy } from './policies.ts';

interface Opened {
  is: 'change' | 'forget';
  network: NetworkEntry;
}

export function NetworksPage() {
  const { text } = useWords();
  const status = useStore(useService().status)?.value;
  // No topic reports networks, so a change of these facts says when to read them again.
  const moved = JSON.stringify([status?.network, status?.groups.map(({ policy }) => policy)]);
  const listed = useAsked('network.list', {}, moved);
  const shown = useAsked('network.show', {}, moved);
  const settings = useAsked('settings.effective', {}, moved);
  const [opened, setOpened] = useState<Opened | null>(null);
  const general = generalPolicy(settings.value?.settings ?? []);
  const networks = listed.value?.networks ?? [];
  const here = networks.find(({ current }) => current) ?? null;
  const others = networks.filter(({ current }) => !current);

  function changed(): void {
    setOpened(null);
    listed.again();
    shown.again();
  }

  if (listed.value === null)
    return (
      <PageBody title={text.frame.pages.networks} about={text.networks.about}>
        <p role="status">
          {listed.failure === null ? text.frame.loading : <FailureWords failure={listed.failure} />}
        </p>
      </PageBody>
    );
  return (
    <PageBody title={text.frame.pages.networks} about={text.networks.about}>
      <Section title={text.networks.here}>
        {here === null ? (
          <Nowhere unavailable={listed.value.unavailable} />
        ) : (
          <Here
            network={here}
            details={detailsOf(here, shown.value)}
            general={general}
            onChange={() => setOpened({ is: 'change', network: here })}
            onConfirmed={changed}
          />
        )}
      </Section>
      <Section title={text.networks.others}>
        {others.length === 0 ? (
          <EmptyState title={text.networks.none}>{text.networks.noneWhy}</EmptyState>
        ) : (
          <Rows label={text.networks.others}>
            {others.map((network) => (
              <NetworkRow
                key={network.id}
                network={network}
                onChange={() => setOpened({ is: 'change', network })}
                onForget={() => setOpened({ is: 'forget', network })}
              />
            ))}
          </Rows>
        )}
      </Section>
      {opened === null ? null : (
        <OpenedDialog
          {...opened}
          general={general}
          onClose={() => setOpened(null)}
          onDone={changed}
        />
      )}
    </PageBody>
  );
}

function OpenedDialog({
  is,
  general,
  ...props
}: Opened & ForgetDialogProps & { general: GeneralPolicy | null }) {
  return is === 'change' ? (
    <NetworkDialog general={general} {...props} />
  ) : (
    <ForgetDialog {...props} />
  );
}

/** Null: what was read is about a network before. */
function detailsOf({ id }: NetworkEntry, read: NetworkDetails | null): NetworkDetails | null {
  return read?.network.id === id ? read : null;
}

function Nowhere({ unavailable }: { unavailable: string | null }) {
  const { text } = useWords();
  if (unavailable === null) return <p>{text.networks.nowhere}</p>;
  return (
    <p>
      {text.networks.unavailable} <span lang="en">{safe(unavailable)}</span>
    </p>
  );
}

interface ForgetDialogProps {
  network: NetworkEntry;
  onClose(): void;
  onDone(): void;
}

function ForgetDialog({ network, onClose, onDone }: ForgetDialogProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  async function forget(): Promise<void> {
    const forgotten = await session.call('network.forget', { network: network.id });
    onDone();
    if (forgotten.ok) toast('done', text.networks.forgotten(called(network)));
    else tellFailure(forgotten.failure);
  }
  return (
    <Dialog
      title={text.networks.forgetting.title(called(network))}
      onClose={onClose}
      actions={
        <Button variant="danger" disabled={!live} onClick={() => void forget()}>
          {text.networks.forgetting.yes}
        </Button>
      }
    >
      <p>{text.networks.forgetting.text}</p>
    </Dialog>
  );
}
