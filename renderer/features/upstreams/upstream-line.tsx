/** One upstream: its state, its cost, and actions. */
import { useState } from 'react';
import {
  isPrivate,
  type UpstreamSetting,
} from '../../../app/contract/settings/upstream-settings.ts';
import type { UpstreamStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { standing, strength } from '../home/upstream-lines.tsx';
import { type Drag, type Edge, edgeAt } from './drop-place.ts';
import { ForgetDialog } from './forget-dialog.tsx';
import { Grip } from './grip.tsx';
import { TestReport } from './test-report.tsx';
import { UpstreamFacts } from './upstream-facts.tsx';
import styles from './upstream-list.module.css';
import { type Test, useTest } from './use-test.ts';

interface UpstreamLineProps {
  upstream: UpstreamStatus;
  configured: UpstreamSetting | undefined;
  /** when its status came */
  toldAt: number;
  place: number;
  of: number;
  editable: boolean;
  drag: Drag;
  onMove(to: number): void;
  onRemove(): void;
}

export function UpstreamLine(props: UpstreamLineProps) {
  const { upstream, configured, toldAt, place, of, editable, drag, onMove, onRemove } = props;
  const [edge, setEdge] = useState<Edge | null>(null);
  const [forgetting, setForgetting] = useState(false);
  const test = useTest(upstream.id);
  const { id } = upstream;
  const name = safe(id);
  const over = drag.id === null || drag.id === id ? null : edge;

  function onDragOver(event: React.DragEvent<HTMLElement>): void {
    if (drag.id === null) return;
    event.preventDefault();
    const { top, height } = event.currentTarget.getBoundingClientRect();
    setEdge(edgeAt(event.clientY, top, height));
  }

  function onDrop(event: React.DragEvent): void {
    event.preventDefault();
    setEdge(null);
    if (edge !== null) drag.drop(edge);
  }

  return (
    <li
      className={styles.upstream}
      data-over={over}
      data-dragged={drag.id === id}
      onDragOver={onDragOver}
      onDragLeave={() => setEdge(null)}
      onDrop={onDrop}
    >
      <Grip id={id} place={place} editable={editable && of > 1} drag={drag} onMove={onMove} />
      <div className={styles.body}>
        <LineHead upstream={upstream} />
        <UpstreamFacts upstream={upstream} configured={configured} toldAt={toldAt} />
        <LineActions
          name={name}
          test={test}
          onUp={editable && place > 0 ? () => onMove(place - 1) : null}
          onDown={editable && place < of - 1 ? () => onMove(place + 1) : null}
          onForget={() => setForgetting(true)}
          onRemove={editable ? onRemove : null}
        />
        {test.report === null ? null : (
          <TestReport name={name} report={test.report} onClose={test.close} />
        )}
      </div>
      {forgetting ? <ForgetDialog id={id} onClose={() => setForgetting(false)} /> : null}
    </li>
  );
}

function LineHead({ upstream }: { upstream: UpstreamStatus }) {
  const { text, formats } = useWords();
  const trail = useStore(useService().trail).upstreams.get(upstream.id) ?? [];
  const { id, state, rttMs, transport, group } = upstream;
  const words = text.upstreams;
  const name = safe(id);
  return (
    <div className={styles.line}>
      <h3 className={styles.name}>{name}</h3>
      {isPrivate(transport) ? null : <Chip tone="exposed">{words.clear}</Chip>}
      {group === '' ? null : <Chip>{words.group(safe(group))}</Chip>}
      <span className={styles.how}>{strength(upstream, text)}</span>
      <span className={styles.latency}>
        {rttMs === null ? text.home.upstreams.noLatency : formats.latency(rttMs)}
      </span>
      <span className={styles.trail}>
        <Sparkline values={trail} label={text.home.upstreams.trail(name)} />
      </span>
      <span className={styles.state} data-state={state}>
        {standing(upstream, text, formats)}
      </span>
    </div>
  );
}

interface LineActionsProps {
  name: string;
  test: Test;
  /** null: it is not possible here */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onForget(): void;
  onRemove: (() => void) | null;
}

function LineActions({ name, test, onUp, onDown, onForget, onRemove }: LineActionsProps) {
  const { text } = useWords();
  const live = useLive();
  const words = text.upstreams;
  return (
    <div className={styles.actions}>
      <Button
        disabled={!live || test.running}
        aria-label={words.test.actionOn(name)}
        onClick={test.begin}
      >
        {test.running ? words.test.running : words.test.action}
      </Button>
      <Menu
        label={words.move.menu}
        variant="quiet"
        aria-label={words.move.more(name)}
        disabled={!live}
      >
        {onUp === null ? null : <MenuItem onSelect={onUp}>{words.move.up}</MenuItem>}
        {onDown === null ? null : <MenuItem onSelect={onDown}>{words.move.down}</MenuItem>}
        <MenuItem onSelect={onForget}>{words.forget.action}</MenuItem>
        {onRemove === null ? null : <MenuItem onSelect={onRemove}>{words.remove.action}</MenuItem>}
      </Menu>
    </div>
  );
}
