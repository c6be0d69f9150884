/** The upstreams in the order in which they get queries. */
import { useState } from 'react';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { UpstreamSetting } from '../../../app/contract/settings/upstream-settings.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { misfit } from '../../bridge/misfit.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Known } from '../../state/topic.ts';
import { useWords } from '../../text/use-text.ts';
import { type Edge, placeAfterDrop } from './drop-place.ts';
import { UpstreamLine } from './upstream-line.tsx';
import styles from './upstream-list.module.css';
import type { Edits } from './use-edits.ts';

interface UpstreamListProps {
  known: Known<ServiceStatus>;
  setting: EffectiveSetting | undefined;
  editable: boolean;
  edits: Edits;
}

export function UpstreamList({ known, setting, editable, edits }: UpstreamListProps) {
  const { text } = useWords();
  const [dragged, setDragged] = useState<string | null>(null);
  const { upstreams } = known.value;
  const configuration = readConfigured(setting?.value);
  const words = text.upstreams;
  if (upstreams.length === 0) return <EmptyState title={words.none} />;

  function move(id: string, to: number): void {
    if (to >= 0 && to < upstreams.length) edits.move(id, to, upstreams.length);
  }

  function drop(onto: number, edge: Edge): void {
    const from = upstreams.findIndex(({ id }) => id === dragged);
    setDragged(null);
    const to = placeAfterDrop(from, onto, edge);
    if (dragged !== null && from >= 0 && to !== null) move(dragged, to);
  }

  return (
    <ol className={styles.list} aria-label={words.list}>
      {upstreams.map((upstream, place) => (
        <UpstreamLine
          key={upstream.id}
          upstream={upstream}
          configured={configuration.find(({ id }) => id === upstream.id)}
          toldAt={known.at}
          place={place}
          of={upstreams.length}
          editable={editable}
          drag={{ id: dragged, begin: setDragged, drop: (edge) => drop(place, edge) }}
          onMove={(to) => move(upstream.id, to)}
          onRemove={() => edits.remove(upstream.id)}
        />
      ))}
    </ol>
  );
}

function readConfigured(value: unknown): readonly UpstreamSetting[] {
  return misfit('values', 'upstreams', value) === null ? (value as UpstreamSetting[]) : [];
}
