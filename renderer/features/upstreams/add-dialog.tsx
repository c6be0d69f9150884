/** Adds a provider: one of the catalogue, or any by its address or its stamp. */
import { useState } from 'react';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Segments } from '../../components/segments.tsx';
import { useWords } from '../../text/use-text.ts';
import { AddByAddress } from './add-by-address.tsx';
import { AddByStamp } from './add-by-stamp.tsx';
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
      <Segments<Way>
        title={words.how}
        options={ways}
        labels={words.ways}
        chosen={way}
        onChoose={choose}
      />
      {way === 'known' ? <Offered catalogue={catalogue} edits={edits} onClose={onClose} /> : null}
      {way === 'address' ? <AddByAddress edits={edits} onClose={onClose} /> : null}
      {way === 'stamp' ? <AddByStamp edits={edits} onClose={onClose} /> : null}
    </Dialog>
  );
}
