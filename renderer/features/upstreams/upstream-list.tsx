/** The upstreams in the order in which they get queries, each with its last day. */
import { useState } from 'react';
import { misfit } from '../../../app/contract/fitting/misfit.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import type { UpstreamSetting } from '../../../app/contract/settings/upstream-settings.ts';
import { firstChoice, otherChoices } from '../../../app/contract/status/first-choice.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import type { Known } from '../../state/topic.ts';
import { useWords } from '../../text/use-text.ts';
import { DayLegend } from './day-chart.tsx';
import { type Edge, placeAfterDrop } from './drop-place.ts';
import { UpstreamLine } from './upstream-line.tsx';
import styles from './upstream-list.module.css';
import { type KnownDay, useDay } from './use-day.ts';
import type { Edits } from './use-edits.ts';

interface UpstreamListProps {
  known: Known<ServiceStatus>;
  catalogue: readonly CatalogueEntry[];
  setting: EffectiveSetting | undefined;
  editable: boolean;
  edits: Edits;
}

export function UpstreamList({ known, catalogue, setting, editable, edits }: UpstreamListProps) {
  const { text } = useWords();
  const [dragged, setDragged] = useState<string | null>(null);
  const day = useDay();
  const { upstreams } = known.value;
  const first = firstChoice(known.value);
  const others = otherChoices(known.value);
  const configuration = readConfigured(setting?.value);
  const words = text.upstreams;
  if (upstreams.length === 0) return <EmptyState title={words.none}>{words.noneMeans}</EmptyState>;

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
    <div>
      <ol className={styles.list} aria-label={words.list}>
        {upstreams.map((upstream, place) => (
          <UpstreamLine
            key={upstream.id}
            upstream={upstream}
            known={catalogue.find((entry) => entry.upstream === upstream.id)}
            configured={configuration.find(({ id }) => id === upstream.id)}
            day={day}
            toldAt={known.at}
            place={place}
            isFirst={upstream.id === first && others.size > 0}
            canBeFirst={editable && others.has(upstream.id)}
            of={upstreams.length}
            editable={editable}
            drag={{ id: dragged, begin: setDragged, drop: (edge) => drop(place, edge) }}
            onMove={(to) => move(upstream.id, to)}
            onRemove={() => edits.remove(upstream.id)}
          />
        ))}
      </ol>
      <BelowList day={day} status={known.value} />
    </div>
  );
}

/** What the pictures mean; where there are none, why. */
function BelowList({ day, status }: { day: KnownDay; status: ServiceStatus }) {
  const why = useWhyNone(day, status);
  return <div className={styles.below}>{why === null ? <DayLegend top={day.top} /> : why}</div>;
}

/** null: there are some */
function useWhyNone({ series, failure }: KnownDay, status: ServiceStatus): string | null {
  const { text, formats } = useWords();
  const words = text.home.chart;
  if (status.log.state === 'off') return words.off;
  if (failure?.code === 'forbidden') return words.forbidden;
  if (failure !== null) return words.unavailable;
  if (series === null) return text.chart.counting;
  if (series.upstreams.length > 0) return null;
  return words.since(formats.moment(series.keptSince ?? status.startedAt, Date.now()));
}

function readConfigured(value: unknown): readonly UpstreamSetting[] {
  return misfit('values', 'upstreams', value) === null ? (value as UpstreamSetting[]) : [];
}
