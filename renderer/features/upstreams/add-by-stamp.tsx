import { useState } from 'react';
import { Field, TextArea } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import { AddForm } from './add-form.tsx';
import type { Edits } from './use-edits.ts';

const scheme = 'sdns://';
const encdns = 'encdns://';

export function AddByStamp({ edits, onClose }: { edits: Edits; onClose(): void }) {
  const { text } = useWords();
  const [stamp, setStamp] = useState('');
  const words = text.upstreams.add;
  const link = stamp.trim();
  const wanted = () => (link === '' ? null : { stamp: link });
  return (
    <AddForm wanted={wanted} edits={edits} onClose={onClose}>
      <Field label={words.stamp} hint={words.stampHint}>
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={3}
            placeholder={scheme}
            value={stamp}
            onChange={(event) => setStamp(event.currentTarget.value)}
            onKeyDown={(event) => {
              // A stamp has no line breaks, so Enter sends the form, as in every other field.
              if (event.key !== 'Enter') return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      {link.startsWith(encdns) ? <p>{text.upstreams.facts.encdns}</p> : null}
    </AddForm>
  );
}
