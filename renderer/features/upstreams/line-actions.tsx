/** What can be done with one upstream. */
import { Button } from '../../components/button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './upstream-list.module.css';
import type { Test } from './use-test.ts';

interface LineActionsProps {
  name: string;
  test: Test;
  /** null: it is not possible here */
  onFirst: (() => void) | null;
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onForget(): void;
  onRemove: (() => void) | null;
}

export function LineActions(props: LineActionsProps) {
  const { name, test, onFirst, onUp, onDown, onForget, onRemove } = props;
  const { text } = useWords();
  const live = useLive();
  const words = text.upstreams;
  return (
    <div className={styles.actions}>
      {onFirst === null ? null : (
        <Button aria-label={words.first.actionOn(name)} onClick={onFirst}>
          {words.first.action}
        </Button>
      )}
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
