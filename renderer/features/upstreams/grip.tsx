/** The handle that moves an upstream: by dragging, or with the arrow keys once it has the focus. */
import { useWords } from '../../text/use-text.ts';
import type { Drag } from './drop-place.ts';
import styles from './upstream-list.module.css';

interface GripProps {
  ref: React.Ref<HTMLButtonElement>;
  id: string;
  name: string;
  place: number;
  editable: boolean;
  drag: Drag;
  onMove(to: number): void;
}

const steps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

export function Grip({ ref, id, name, place, editable, drag, onMove }: GripProps) {
  const { text, formats } = useWords();
  function onKeyDown(event: React.KeyboardEvent): void {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onMove(place + step);
  }
  if (!editable) return <span className={styles.place}>{formats.count(place + 1)}</span>;
  return (
    <button
      ref={ref}
      type="button"
      className={styles.grip}
      draggable
      aria-label={text.upstreams.move.grip(name)}
      aria-keyshortcuts="ArrowUp ArrowDown"
      onKeyDown={onKeyDown}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', id);
        const line = event.currentTarget.closest('li');
        if (line !== null) event.dataTransfer.setDragImage(line, 16, 16);
        drag.begin(id);
      }}
      onDragEnd={() => drag.begin(null)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M6 3h.01M10 3h.01M6 8h.01M10 8h.01M6 13h.01M10 13h.01" />
      </svg>
    </button>
  );
}
