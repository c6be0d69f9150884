/** Adds a provider: one of the catalogue, or any by its address or its stamp. */
import { useState } from 'react';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { Dialog } from '../../components/dialog.tsx';
import { useWords } from '../../text/use-text.ts';
import { AddByAddress } from './add-by-address.tsx';
import { AddByStamp } from './add-by-stamp.tsx';
import styles from './add-dialog.module.css';
import { Offered } from './offered.tsx';
import type { Edits } from './use-edits.ts';

const ways = ['known', 'address', 'stamp'] as const;
type Way = (typeof ways)[number];

interface AddDialogProps {
  catalogue: readonly CatalogueEntry[];
  edits: Edits;
  onClose(): void;
}

export function AddDialog({ catalogue, edits, onClose }: AddDialogProps) {
  const { text } = useWords();
  const [way, choose] = useState<Way>('known');
  const words = text.upstreams.add;
  return (
    <Dialog title={words.title} onClose={onClose}>
      <fieldset className={styles.ways}>
        <legend className="spoken">{words.ways.title}</legend>
        {ways.map((one) => (
          <button key={one} type="button" aria-pressed={one === way} onClick={() => choose(one)}>
            {words.ways[one]}
          </button>
        ))}
      </fieldset>
      {way === 'known' ? <Offered catalogue={catalogue} edits={edits} onClose={onClose} /> : null}
      {way === 'address' ? <AddByAddress edits={edits} onClose={onClose} /> : null}
      {way === 'stamp' ? <AddByStamp edits={edits} onClose={onClose} /> : null}
    </Dialog>
  );
}
