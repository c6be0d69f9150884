/** One upstream: who it is, its last day, and actions. */
import { useRef, useState } from 'react';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import type { UpstreamSetting } from '../../../app/contract/settings/upstream-settings.ts';
import type { UpstreamStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useWords } from '../../text/use-text.ts';
import { DayChart } from './day-chart.tsx';
import { type Drag, type Edge, edgeAt } from './drop-place.ts';
import { ForgetDialog } from './forget-dialog.tsx';
import { Grip } from './grip.tsx';
import { LineActions } from './line-actions.tsx';
import { dayOf } from './provider-day.ts';
import { TestReport } from './test-report.tsx';
import { UpstreamFacts } from './upstream-facts.tsx';
import styles from './upstream-list.module.css';
import type { KnownDay } from './use-day.ts';
import { useTest } from './use-test.ts';
import { Who } from './who.tsx';

interface UpstreamLineProps {
  upstream: UpstreamStatus;
  /** what the catalogue says of it; undefined: it is not there */
  known: CatalogueEntry | undefined;
  configured: UpstreamSetting | undefined;
  day: KnownDay;
  /** when its status came */
  toldAt: number;
  place: number;
  isFirst: boolean;
  canBeFirst: boolean;
  of: number;
  editable: boolean;
  drag: Drag;
  onMove(to: number): void;
  onRemove(): void;
}

export function UpstreamLine(props: UpstreamLineProps) {
  const { upstream, known, configured, day, toldAt, place, of, editable } = props;
  const { isFirst, canBeFirst, drag, onMove } = props;
  const [forgetting, setForgetting] = useState(false);
  const grip = useRef<HTMLButtonElement>(null);
  const test = useTest(upstream.id);
  const { over, ...dropping } = useDropping(upstream.id, drag);
  const { id } = upstream;
  const name = safe(upstream.label);
  const movable = editable && of > 1;

  function makeFirst(): void {
    // The button goes when the line is the first.
    grip.current?.focus();
    onMove(0);
  }

  return (
    <li className={styles.upstream} data-over={over} data-dragged={drag.id === id} {...dropping}>
      <Grip
        ref={grip}
        id={id}
        name={name}
        place={place}
        editable={movable}
        drag={drag}
        onMove={onMove}
      />
      <div className={styles.body}>
        <Who name={name} upstream={upstream} known={known} isFirst={isFirst} />
        <LineDay name={name} id={id} day={day} />
        <Now upstream={upstream} />
        <LineActions
          name={name}
          test={test}
          onFirst={canBeFirst ? makeFirst : null}
          {...changesOf(props)}
          onForget={() => setForgetting(true)}
        />
        <UpstreamFacts
          name={name}
          upstream={upstream}
          known={known}
          configured={configured}
          toldAt={toldAt}
        />
        {test.report === null ? null : (
          <TestReport name={name} report={test.report} onClose={test.close} />
        )}
      </div>
      {forgetting ? (
        <ForgetDialog id={id} name={name} onClose={() => setForgetting(false)} />
      ) : null}
    </li>
  );
}

/** null: it is not possible here */
function changesOf({ place, of, editable, onMove, onRemove }: UpstreamLineProps) {
  const isUp = editable && place > 0;
  const isDown = editable && place < of - 1;
  return {
    onUp: isUp ? () => onMove(place - 1) : null,
    onDown: isDown ? () => onMove(place + 1) : null,
    onRemove: editable && of > 1 ? onRemove : null,
  };
}

/** What a line does while another one is dragged over it; `over`: the edge at which that would be dropped. */
function useDropping(id: string, drag: Drag) {
  const [edge, setEdge] = useState<Edge | null>(null);
  return {
    over: drag.id === null || drag.id === id ? null : edge,
    onDragOver(event: React.DragEvent<HTMLElement>): void {
      if (drag.id === null) return;
      event.preventDefault();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      setEdge(edgeAt(event.clientY, top, height));
    },
    onDragLeave: () => setEdge(null),
    onDrop(event: React.DragEvent): void {
      event.preventDefault();
      setEdge(null);
      if (edge !== null) drag.drop(edge);
    },
  };
}

function LineDay({ name, id, day }: { name: string; id: string; day: KnownDay }) {
  const { text } = useWords();
  const { series, top } = day;
  const mine = series === null ? null : dayOf(series, id);
  // Where there is no picture at all, a sentence below the list says why.
  if (series === null || series.upstreams.length === 0) return <div className={styles.day} />;
  return (
    <div className={styles.day}>
      {mine === null ? (
        <p className={styles.quiet}>{text.upstreams.day.none}</p>
      ) : (
        <DayChart name={name} day={mine} series={series} top={top} />
      )}
    </div>
  );
}

function Now({ upstream: { rttMs } }: { upstream: UpstreamStatus }) {
  const { text, formats } = useWords();
  return (
    <p className={styles.now}>
      {rttMs === null ? (
        <span className={styles.quiet}>
          <span aria-hidden="true">{text.upstreams.unknown}</span>
          <span className="spoken">{text.home.upstreams.noLatency}</span>
        </span>
      ) : (
        <strong>{formats.latency(rttMs)}</strong>
      )}
    </p>
  );
}
